-- columns: what is known of each column, and of each table as the column '': its type and its comment.
SELECT schema_name, table_name, column_name, data_type, coalesce(comment, '') AS remarks
FROM   duckdb_columns()
WHERE  database_name = current_catalog()
UNION ALL
SELECT schema_name, table_name, '', '', coalesce(comment, '')
FROM   duckdb_tables()
WHERE  database_name = current_catalog()
UNION ALL
SELECT schema_name, view_name, '', '', coalesce(comment, '')
FROM   duckdb_views()
WHERE  database_name = current_catalog()
