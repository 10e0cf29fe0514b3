-- partly_listed: the partitions of the list that were never covered completely, with the number of
-- vessels that they reported and the number that was received, on the latest night with an answer.
SELECT kind, lower(value) AS value, arg_max(expected_rows, run_id)::BIGINT, arg_max(received_rows, run_id)::BIGINT
FROM   coverage
WHERE  kind <> 'status' AND state IN ('partial', 'suspect')
  AND  (kind, lower(value)) NOT IN (SELECT (kind, lower(value)) FROM coverage WHERE state = 'complete')
GROUP BY kind, lower(value)
HAVING arg_max(expected_rows, run_id) > 0
ORDER BY ALL;
