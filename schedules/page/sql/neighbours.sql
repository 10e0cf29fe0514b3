-- neighbours.sql: the nights of job $1 before and after the night $2, each with its last run.
SELECT if(snapshot_date < $2::DATE, 'before', 'after') AS side, strftime(snapshot_date, '%Y-%m-%d') AS night, max(run_id) AS run_id
FROM   runs
WHERE  job = $1 AND snapshot_date <> $2::DATE
GROUP BY snapshot_date
QUALIFY row_number() OVER (PARTITION BY snapshot_date < $2::DATE ORDER BY abs(snapshot_date - $2::DATE)) = 1;
