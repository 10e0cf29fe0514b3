-- partitions: the latest coverage of each partition, after tonight. An empty answer may be a silent
-- fault: after a night with vessels it proves their absence only when another night repeats it.
-- reads: partitions_before, partitions_tonight
-- adds to: partitions
-- changes: partitions
-- needs: partitions_tonight
DELETE FROM partitions;
INSERT INTO partitions BY NAME
SELECT operation, kind, value,
       CASE WHEN t.complete THEN $date ELSE b.covered_on END AS covered_on,
       coalesce(t.covered_at, b.covered_at) AS covered_at,
       CASE WHEN t.complete THEN t.rows ELSE b.rows END AS rows,
       CASE WHEN t.rows IS NULL THEN b.zeros WHEN t.rows = 0 THEN coalesce(b.zeros, 0) + 1 ELSE 0 END AS zeros,
       CASE WHEN t.complete AND (t.rows > 0 OR coalesce(b.zeros, 1) > 0) THEN $date ELSE b.proven_on END AS proven_on
FROM   partitions_before AS b
FULL JOIN partitions_tonight AS t USING (operation, kind, value)
ORDER BY operation, kind, value;
