-- has_steps: whether a file lists the migrations that made its tables: their schema was made for that. To list tables
-- takes DuckDB 4 ms, since it makes its own views before it does.
SELECT count(*) > 0 FROM system.main.duckdb_schemas() WHERE database_name = current_database() AND schema_name = 'internal';
