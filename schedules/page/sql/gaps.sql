-- gaps.sql: the partitions of the runs in the list $1 that are neither complete nor covered
-- shortly before. The last run that has a partition decides its state.
WITH last_state AS (
    SELECT operation, kind, value, arg_max(state, run_id) AS state, arg_max(coalesce(reason, ''), run_id) AS reason,
           arg_max(expected_rows, run_id) AS expected_rows, arg_max(received_rows, run_id) AS received_rows
    FROM   coverage
    WHERE  list_contains(string_split($1, ','), run_id)
    GROUP BY ALL
)
SELECT count(*) OVER () AS total, operation, kind, value, if(state = 'skipped', 'left out', state) AS state, reason, coalesce(expected_rows, -1) AS expected, coalesce(received_rows, 0) AS received
FROM   last_state
WHERE  state <> 'complete' AND NOT (state = 'skipped' AND starts_with(reason, 'covered at '))
ORDER BY state, operation, value
LIMIT  $2;
