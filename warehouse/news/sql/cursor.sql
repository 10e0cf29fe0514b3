-- cursor: the newest published run, how many are published, and the earlier ones that were paid for and are not.
SELECT max(run_id), count(*), (SELECT coalesce(list(a.run_id ORDER BY a.run_id), []) FROM internal.run_accounts AS a ANTI JOIN runs AS p USING (run_id) WHERE a.run_id < (SELECT max(run_id) FROM runs))
FROM   runs;
