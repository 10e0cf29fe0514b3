-- operations: the raw operations that have answers or a definition, each with its definition; empty if it has none.
SELECT operation, coalesce(max(definition), '')
FROM   (SELECT operation, definition FROM internal.raw_operations UNION ALL SELECT DISTINCT operation, NULL FROM raw_answers)
GROUP BY operation
ORDER BY operation;
