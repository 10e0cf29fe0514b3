-- spending: the requests and credits of each run, by operation.
SELECT run_id, operation, count(*), coalesce(sum(credits), 0)::BIGINT
FROM   requests
GROUP BY ALL
ORDER BY ALL;
