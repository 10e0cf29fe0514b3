-- dictionary: tables and views with their columns and comments.
SELECT t.name, t.comment, c.column_name, c.data_type, coalesce(c.comment, '')
FROM (
    SELECT table_name AS name, coalesce(comment, '') AS comment FROM duckdb_tables() WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT view_name, coalesce(comment, '') FROM duckdb_views() WHERE database_name = current_database() AND NOT internal AND NOT temporary
) AS t
JOIN   duckdb_columns() AS c ON c.table_name = t.name AND c.database_name = current_database()
WHERE  t.name <> 'schema_migrations'
ORDER BY t.name, c.column_index;
