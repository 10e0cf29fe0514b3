-- What each table of the lake cost: credits, rows, and credits for a thousand rows.
-- Of the five credits of an info answer, particulars and position count as one each, which is their price when
-- bought alone; engine and management share the rest.
SELECT t.lake_table, round(sum(t.share * q.credits), 1) AS credits, sum(q.rows)::BIGINT AS rows, round(1000 * sum(t.share * q.credits) / nullif(sum(q.rows), 0), 1) AS credits_per_1000
FROM   requests AS q
JOIN   (VALUES ('by-type', 'listings', 1), ('by-status', 'sightings', 1), ('particulars', 'particulars', 1), ('location', 'positions', 1),
               ('info', 'particulars', 0.2), ('info', 'positions', 0.2), ('info', 'engine', 0.3), ('info', 'management', 0.3)) AS t(operation, lake_table, share) USING (operation)
GROUP BY t.lake_table
ORDER BY credits DESC, t.lake_table;
