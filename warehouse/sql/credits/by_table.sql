-- by_table: what the rows of each lake table cost, of the runs since a day. Of the five
-- credits of an info answer, particulars and position count as one each, which is their price when
-- bought alone, and engine and management share the rest.
WITH since AS (
    SELECT run_id, report FROM runs WHERE started_at >= $1::DATE::TIMESTAMP AT TIME ZONE 'UTC'
), paid AS (
    SELECT s.lake_table, sum(s.share * q.credits) AS credits
    FROM   requests AS q
    SEMI JOIN since USING (run_id)
    JOIN   (VALUES ('by-type', 'listings', 1.0), ('by-status', 'sightings', 1.0), ('particulars', 'particulars', 1.0), ('location', 'positions', 1.0),
                   ('info', 'particulars', 0.2), ('info', 'positions', 0.2), ('info', 'engine', 0.3), ('info', 'management', 0.3)
           ) AS s(operation, lake_table, share) USING (operation)
    GROUP BY s.lake_table
), brought AS (
    SELECT t.lake_table, sum((since.report ->> ('$.rows.' || t.lake_table))::BIGINT) AS rows
    FROM   since, (VALUES ('listings'), ('sightings'), ('particulars'), ('engine'), ('management'), ('positions')) AS t(lake_table)
    GROUP BY t.lake_table
)
SELECT lake_table, coalesce(p.credits, 0)::DOUBLE, coalesce(b.rows, 0)::BIGINT, round(1000.0 * coalesce(p.credits, 0) / nullif(b.rows, 0), 2)::DOUBLE
FROM   paid AS p
FULL JOIN brought AS b USING (lake_table)
WHERE  coalesce(p.credits, 0) > 0 OR coalesce(b.rows, 0) > 0
ORDER BY 2 DESC, 1;
