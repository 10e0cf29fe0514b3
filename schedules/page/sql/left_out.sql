-- left_out.sql: how many planned partitions each run did not request. Partitions that were skipped
-- because they were covered shortly before are not needed and do not count.
SELECT run_id, count(*) AS partitions
FROM   coverage
WHERE  state = 'skipped' AND NOT starts_with(coalesce(reason, ''), 'covered at ')
GROUP BY run_id;
