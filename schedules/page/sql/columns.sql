-- columns.sql: the tables and views that a person may ask for, with their columns. Comments that begin with Internal are of
-- columns that only the program reads.
SELECT table_name, column_name
FROM   duckdb_columns()
WHERE  database_name = current_database() AND schema_name = 'main' AND NOT starts_with(coalesce(comment, ''), 'Internal: ')
ORDER BY table_name, column_index;
