-- setting: the value of a setting, as DuckDB understood it.
SELECT value FROM duckdb_settings() WHERE name = $1;
