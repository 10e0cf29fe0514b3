-- rates: versions that ended, by vessel and day under observation, of a dataset. A vessel is
-- under observation from its first answer to its last; the fleet counts for a week at least,
-- so that a young warehouse does not claim to know.
WITH observed AS (
    SELECT coalesce(v.category, '') AS category, d.valid_to IS NOT NULL AS ended,
           epoch(d.last_seen - d.first_seen) / 86400 AS days
    FROM   query_table($1) AS d
    JOIN   vessels AS v USING (vessel_id)
)
SELECT category, count(*) FILTER (ended) / sum(days)
FROM   observed
WHERE  category <> ''
GROUP BY category
HAVING sum(days) >= 100
UNION ALL
SELECT '', count(*) FILTER (ended) / greatest(sum(days), 7 * count(*))
FROM   observed
HAVING count(*) > 0;
