-- rates: how often a dataset changes while the registration stays as it is, per vessel and day under
-- observation. A change together with the registration is not counted: the new registration makes
-- the vessel due for a lookup, so that no estimate is needed. A vessel is under observation from
-- its first answer to its last; the whole fleet counts as observed for a week at least, so that a
-- young warehouse does not overestimate.
WITH versions AS (
    SELECT d.vessel_id, d.first_seen, d.last_seen, d.valid_to
    FROM   query_table($1) AS d
),
signs AS (
    SELECT DISTINCT d.vessel_id, d.valid_to
    FROM   versions AS d
    JOIN   registration AS r ON r.vessel_id = d.vessel_id AND r.valid_from > d.last_seen AND r.valid_from <= d.valid_to
),
observed AS (
    SELECT v.category, d.valid_to IS NOT NULL AND s.vessel_id IS NULL AS ended,
           (epoch_us(d.last_seen) - epoch_us(d.first_seen)) / 86400e6 AS days
    FROM   versions AS d
    JOIN   vessels AS v USING (vessel_id)
    LEFT JOIN signs AS s ON s.vessel_id = d.vessel_id AND s.valid_to = d.valid_to
)
SELECT category, count(*) FILTER (ended) / sum(days)
FROM   observed
GROUP BY category
HAVING sum(days) >= 100
UNION ALL
SELECT '', count(*) FILTER (ended) / greatest(sum(days), 7 * count(*))
FROM   observed
HAVING count(*) > 0;
