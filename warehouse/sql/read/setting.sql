-- setting: what DuckDB made of a setting.
SELECT value FROM duckdb_settings() WHERE name = $1;
