-- names: the tables and views that are for analysts, with their comments.
SELECT table_name, coalesce(comment, '') FROM system.main.duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main' AND NOT temporary
UNION ALL
SELECT view_name, coalesce(comment, '') FROM system.main.duckdb_views() WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal AND NOT temporary;
