-- feed_nights.sql: the newest $1 nights, each with its last run and its end.
SELECT strftime(snapshot_date, '%Y-%m-%d') AS night, max(run_id) AS run_id, max(finished_at) AS finished_at
FROM   runs
GROUP BY snapshot_date
ORDER BY snapshot_date DESC
LIMIT  $1;
