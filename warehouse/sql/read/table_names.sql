-- table_names: the tables and views of the file, as statements name them.
SELECT if(schema_name = 'main', '', schema_name || '.') || table_name FROM system.main.duckdb_tables() WHERE database_name = current_database()
UNION ALL
SELECT if(schema_name = 'main', '', schema_name || '.') || view_name FROM system.main.duckdb_views() WHERE database_name = current_database() AND NOT internal;
