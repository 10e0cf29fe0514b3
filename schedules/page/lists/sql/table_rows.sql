-- table_rows.sql: about how many rows the table $1 has.
SELECT estimated_size AS rows FROM system.main.duckdb_tables() WHERE schema_name || '.' || table_name = $1;
