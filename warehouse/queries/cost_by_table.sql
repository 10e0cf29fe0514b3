-- What each table of the lake cost: credits, rows, and credits for a thousand rows.
-- The credits of an answer with several datasets are shared out among them: see operation_datasets.share.
SELECT t.lake_table, round(sum(t.share * q.credits), 1)::DECIMAL(18, 1) AS credits, sum(q.rows)::BIGINT AS rows, round(1000 * sum(t.share * q.credits) / nullif(sum(q.rows), 0), 1) AS credits_per_1000
FROM   requests AS q
JOIN   operation_datasets AS t USING (operation)
GROUP BY t.lake_table
ORDER BY credits DESC, t.lake_table;
