-- columns.sql: the columns of the table or view $1 and their types, in their order.
SELECT column_name, data_type
FROM   duckdb_columns()
WHERE  database_name = current_database() AND schema_name = 'main' AND table_name = $1
ORDER BY column_index;
