-- latest_night: the last night of which the file has a run; empty if it has none.
SELECT coalesce(strftime(max(snapshot_date), '%Y-%m-%d'), '') FROM runs;
