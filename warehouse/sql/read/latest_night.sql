-- latest_night: the latest night with a run in the file; empty if there is none.
SELECT coalesce(strftime(max(snapshot_date), '%Y-%m-%d'), '') FROM runs;
