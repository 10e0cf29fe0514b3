-- engine_functions: what DuckDB itself brings along that a statement can name: functions, those that stand for a
-- table, and views. Those that only PRAGMA and CALL can name are not among them.
SELECT CASE WHEN function_type IN ('table', 'table_macro') THEN 'table' ELSE 'call' END AS kind, function_name AS name
FROM   system.main.duckdb_functions()
WHERE  internal AND function_type <> 'pragma'
UNION
SELECT 'view', view_name
FROM   system.main.duckdb_views()
WHERE  internal
ORDER BY ALL;
