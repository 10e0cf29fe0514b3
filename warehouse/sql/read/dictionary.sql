-- dictionary: tables and views with their columns and comments. Those of the schema internal are left
-- out: only this program reads them.
SELECT t.name, t.kind, t.comment, t.text, c.column_name, c.data_type, coalesce(c.comment, '')
FROM (
    SELECT table_name AS name, 'table' AS kind, coalesce(comment, '') AS comment, '' AS text
    FROM   system.main.duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main' AND NOT temporary
    UNION ALL
    SELECT view_name, 'view', coalesce(comment, ''), sql
    FROM   system.main.duckdb_views() WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal AND NOT temporary
) AS t
JOIN   system.main.duckdb_columns() AS c ON c.table_name = t.name AND c.database_name = current_database() AND c.schema_name = 'main'
ORDER BY t.name, c.column_index;
