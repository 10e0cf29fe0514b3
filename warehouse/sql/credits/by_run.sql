-- by_run: our count of each run since a day against the service's balance.
SELECT run_id, coalesce(job, ''), balance_before, balance_after, spent, unknown, billed, settled, drift, elsewhere,
       unproved, coalesce(why, '')
FROM   run_credits
WHERE  started_at >= $1::DATE::TIMESTAMP AT TIME ZONE 'UTC'
ORDER BY run_id;
