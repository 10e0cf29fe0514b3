-- has_steps: whether a file lists the migrations that made its tables.
SELECT count(*) > 0 FROM system.main.duckdb_tables() WHERE schema_name = 'internal' AND table_name = 'schema_migrations';
