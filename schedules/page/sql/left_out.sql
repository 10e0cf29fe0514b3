-- left_out.sql: how many partitions each run wanted and did not ask. Of those that it skipped,
-- the ones that were covered a short while before are not needed and not among them.
SELECT run_id, count(*) AS partitions
FROM   coverage
WHERE  state = 'skipped' AND NOT starts_with(coalesce(reason, ''), 'covered at ')
GROUP BY run_id;
