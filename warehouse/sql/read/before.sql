-- before: the published runs of a run's job that came before it, the latest first.
SELECT run_id
FROM   runs
WHERE  job IS NOT DISTINCT FROM (SELECT job FROM runs WHERE run_id = $run) AND run_id < $run
ORDER BY run_id DESC
LIMIT  $limit;
