-- tables: those of a catalog, $1, that patterns select by their schemas, $2, and names, $3, of the
-- types in $4, which commas separate. NULL is each.
SELECT   table_catalog AS catalog_name, table_schema AS db_schema_name, table_name,
         replace(table_type, 'BASE TABLE', 'TABLE') AS kind
FROM     information_schema.tables
WHERE    table_catalog = current_catalog()
  AND    table_schema <> 'internal'
  AND    table_catalog = coalesce($1, table_catalog)
  AND    table_schema LIKE coalesce($2, '%') ESCAPE '\'
  AND    table_name LIKE coalesce($3, '%') ESCAPE '\'
  AND    ($4::VARCHAR IS NULL OR list_contains(string_split($4, ','), replace(table_type, 'BASE TABLE', 'TABLE')))
ORDER BY ALL
