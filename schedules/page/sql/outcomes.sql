-- outcomes.sql: the requests of the runs in the list $1 that brought no data, by
-- operation and outcome.
SELECT operation, outcome, count(*) AS requests
FROM   requests
WHERE  list_contains(string_split($1, ','), run_id) AND outcome NOT IN ('ok', 'empty')
GROUP BY ALL
ORDER BY operation, requests DESC, outcome;
