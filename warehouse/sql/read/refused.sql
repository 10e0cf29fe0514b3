-- refused: the numbers for which a lookup found no vessel, and which are not due for another lookup.
-- The first refusal counts for a week, and each further one for twice as long as the one before,
-- up to half a year. An answer with data cancels the refusals before it.
WITH asked AS (
    SELECT split_part(parameters, '=', 2) AS number, sent_at, outcome IN ('not_found', 'rejected', 'empty') AS refused
    FROM   requests
    WHERE  vessel_number IS NOT NULL AND list_contains($2::VARCHAR[], operation)
      AND  outcome IN ('ok', 'not_found', 'rejected', 'empty')
),
known AS (
    SELECT number, max(sent_at) AS at FROM asked WHERE NOT refused GROUP BY number
)
SELECT a.number
FROM   asked AS a
LEFT JOIN known AS k USING (number)
WHERE  a.refused AND (k.at IS NULL OR a.sent_at > k.at)
GROUP BY a.number
HAVING max(a.sent_at) + to_days(least(7 * pow(2, count(DISTINCT (a.sent_at AT TIME ZONE 'UTC')::DATE) - 1), 182)::INTEGER) > $1::TIMESTAMPTZ;
