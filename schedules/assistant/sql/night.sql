-- night.sql: the newest published night with its verdict, and the run that was published last.
SELECT strftime(snapshot_date, '%Y-%m-%d'), verdict, reason, (SELECT max(run_id) FROM runs)
FROM   night_verdicts
ORDER BY snapshot_date DESC
LIMIT  1;
