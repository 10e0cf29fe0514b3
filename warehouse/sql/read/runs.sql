-- runs: the latest runs, those up to one, or one run.
SELECT run_id, job, strftime(snapshot_date, '%Y-%m-%d'), started_at, finished_at, state, coalesce(stop, ''), coalesce(reason, ''), requests,
       credits_planned, credits_spent, credits_unknown, balance_before, balance_after, coalesce(continues, ''), rows, coalesce(report::VARCHAR, '')
FROM   runs
WHERE  run_id = coalesce($run, run_id) AND run_id <= coalesce($up_to, run_id)
ORDER BY run_id DESC
LIMIT  $limit;
