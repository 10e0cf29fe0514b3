-- tables: the tables of both files with their columns, in the order of their names.
SELECT database_name, if(schema_name = 'main', table_name, schema_name || '.' || table_name), list(column_name ORDER BY column_name)
FROM   system.main.duckdb_columns()
WHERE  database_name IN ('before', 'after') AND table_name <> 'schema_migrations'
  AND  (schema_name, table_name) IN (SELECT (t.schema_name, t.table_name) FROM system.main.duckdb_tables() AS t WHERE t.database_name IN ('before', 'after'))
GROUP BY ALL
ORDER BY ALL;
