-- nights.sql: the first and the last night that is published.
SELECT min(snapshot_date), max(snapshot_date) FROM runs;
