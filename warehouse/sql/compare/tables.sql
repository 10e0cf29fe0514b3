-- tables: the tables of both files with their columns, in the order of their names.
SELECT database_name, table_name, list(column_name ORDER BY column_name)
FROM   duckdb_columns()
WHERE  database_name IN ('before', 'after') AND schema_name = 'main' AND table_name <> 'schema_migrations'
  AND  table_name IN (SELECT t.table_name FROM duckdb_tables() AS t WHERE t.database_name IN ('before', 'after'))
GROUP BY ALL
ORDER BY ALL;
