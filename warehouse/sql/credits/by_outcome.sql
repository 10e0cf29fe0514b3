-- by_outcome: the outcomes of the requests sent since a day, by operation.
SELECT operation, outcome, charge, count(*)::INTEGER, coalesce(sum(credits), 0)::INTEGER, coalesce(sum(credits) FILTER (charge = 'unknown'), 0)::INTEGER, coalesce(sum(rows), 0)::BIGINT
FROM   requests
WHERE  sent_at >= $1::DATE::TIMESTAMP AT TIME ZONE 'UTC'
GROUP BY operation, outcome, charge
ORDER BY operation, sum(credits) DESC, outcome, charge;
