-- macros: the macros that return tables, with their signatures, comments and texts; those that hide what is internal are left out.
SELECT function_name, function_name || '(' || array_to_string(parameters, ', ') || ')', coalesce(comment, ''), macro_definition
FROM   system.main.duckdb_functions()
WHERE  database_name = current_database() AND schema_name = 'main' AND function_type = 'table_macro' AND NOT internal AND NOT starts_with(function_name, 'duckdb_')
ORDER BY function_name;
