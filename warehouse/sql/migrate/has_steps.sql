-- has_steps: whether a file knows which steps made its tables.
SELECT count(*) > 0 FROM duckdb_tables() WHERE table_name = 'schema_migrations';
