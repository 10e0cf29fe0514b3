-- by_day: the ledger since a day, by day, job and operation.
SELECT strftime(day, '%Y-%m-%d'), coalesce(job, ''), operation, requests, answers, credits, unknown, rows, round(1000.0 * credits / nullif(rows, 0), 2)::DOUBLE,
       balance, coalesce(not_billed, 0), drift
FROM   credits_daily
WHERE  day >= $1::DATE
ORDER BY day, job, operation;
