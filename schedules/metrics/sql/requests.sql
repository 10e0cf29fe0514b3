-- requests.sql: all requests that are published, and their credits, by operation and outcome.
SELECT operation, outcome, count(*) AS requests, coalesce(sum(credits), 0)::BIGINT AS credits
FROM   requests
GROUP BY ALL
ORDER BY ALL;
