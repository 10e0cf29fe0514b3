-- by_table: what the rows of each lake table cost, of the runs since a day. Of an answer with several datasets
-- each counts as much as operation_datasets says.
WITH since AS (
    SELECT run_id, report FROM runs WHERE started_at >= $1::DATE::TIMESTAMP AT TIME ZONE 'UTC'
), paid AS (
    SELECT s.lake_table, sum(s.share * q.credits) AS credits
    FROM   requests AS q
    SEMI JOIN since USING (run_id)
    JOIN   operation_datasets AS s USING (operation)
    GROUP BY s.lake_table
), brought AS (
    SELECT t.lake_table, sum((since.report ->> ('$.rows.' || t.lake_table))::BIGINT) AS rows
    FROM   since, (SELECT DISTINCT lake_table FROM operation_datasets) AS t
    GROUP BY t.lake_table
)
SELECT lake_table, coalesce(p.credits, 0)::DOUBLE, coalesce(b.rows, 0)::BIGINT, round(1000.0 * coalesce(p.credits, 0) / nullif(b.rows, 0), 2)::DOUBLE
FROM   paid AS p
FULL JOIN brought AS b USING (lake_table)
WHERE  coalesce(p.credits, 0) > 0 OR coalesce(b.rows, 0) > 0
ORDER BY 2 DESC, 1;
