-- schemas: those that a pattern selects, $2; $1 is a catalog. NULL is each.
SELECT   catalog_name, schema_name AS db_schema_name
FROM     information_schema.schemata
WHERE    catalog_name = current_catalog()
  AND    schema_name NOT IN ('information_schema', 'pg_catalog', 'internal')
  AND    catalog_name = coalesce($1, catalog_name)
  AND    schema_name LIKE coalesce($2, '%') ESCAPE '\'
ORDER BY ALL
