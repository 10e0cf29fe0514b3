-- macros: the macros that return tables, with their signatures, comments and texts.
SELECT function_name, function_name || '(' || array_to_string(parameters, ', ') || ')', coalesce(comment, ''), macro_definition
FROM   duckdb_functions()
WHERE  database_name = current_database() AND schema_name = 'main' AND function_type = 'table_macro' AND NOT internal
ORDER BY function_name;
