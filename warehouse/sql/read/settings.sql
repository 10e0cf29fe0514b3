-- settings: the values of some settings, as DuckDB understood them.
SELECT name, value FROM duckdb_settings() WHERE list_contains($1::VARCHAR[], name);
