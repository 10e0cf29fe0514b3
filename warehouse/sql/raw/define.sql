-- define: keep the definition of a raw operation, in place of an earlier one.
MERGE INTO internal.raw_operations AS o USING (SELECT $1 AS operation, $2 AS definition, $3 AS run_id) AS n ON o.operation = n.operation
WHEN MATCHED AND n.run_id >= o.run_id THEN UPDATE SET definition = n.definition, run_id = n.run_id
WHEN NOT MATCHED THEN INSERT VALUES (n.operation, n.definition, n.run_id);
