-- catalog: a digest of the columns, views and comments that a file has. Macros are left out, since
-- DuckDB lists them among its own functions, which takes longer than all the rest; so are the views of raw operations,
-- which come from the configuration.
SELECT md5(string_agg(definition, chr(10) ORDER BY definition))
FROM (
    SELECT concat_ws(' ', 'view', schema_name, view_name, sql, comment) AS definition FROM system.main.duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary AND NOT starts_with(view_name, 'raw_')
    UNION ALL
    SELECT concat_ws(' ', 'table', schema_name, table_name, comment) FROM system.main.duckdb_tables() WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT concat_ws(' ', 'column', schema_name, table_name, column_index, column_name, data_type, comment) FROM system.main.duckdb_columns() WHERE database_name = current_database() AND NOT internal AND (NOT starts_with(table_name, 'raw_') OR table_name = 'raw_answers')
);
