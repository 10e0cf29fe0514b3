-- has_list: whether a file has the list of the migrations that made its tables. It takes longer than has_steps, which
-- believes that a file with our schema has the list.
SELECT count(*) > 0 FROM system.main.duckdb_tables()
WHERE  database_name = current_database() AND schema_name = 'internal' AND table_name = 'schema_migrations';
