-- catalog: what the catalogues of DuckDB list. Its own functions are found after macros of their names, also below
-- information_schema, pg_catalog and SHOW, so that tools that browse the file see what is for its readers: without the
-- schema internal, and without the temporary table in which the program stores an answer. system.main has the functions
-- themselves. In a session that has the file attached, and another database in use, the macros are not found.
CREATE OR REPLACE MACRO duckdb_tables() AS TABLE
FROM system.main.duckdb_tables() WHERE schema_name <> 'internal' AND NOT (temporary AND table_name = 'fleetlake_answer');
CREATE OR REPLACE MACRO duckdb_columns() AS TABLE
FROM system.main.duckdb_columns() WHERE schema_name <> 'internal' AND NOT (database_name = 'temp' AND table_name = 'fleetlake_answer');
CREATE OR REPLACE MACRO duckdb_views() AS TABLE
FROM system.main.duckdb_views() WHERE schema_name <> 'internal';
CREATE OR REPLACE MACRO duckdb_schemas() AS TABLE
FROM system.main.duckdb_schemas() WHERE schema_name <> 'internal';
CREATE OR REPLACE MACRO duckdb_functions() AS TABLE
FROM system.main.duckdb_functions() WHERE schema_name <> 'internal' AND (internal OR NOT starts_with(function_name, 'duckdb_'));
{{- range fields "duckdb_tables duckdb_columns duckdb_views duckdb_schemas duckdb_functions"}}
COMMENT ON MACRO TABLE {{.}} IS '{{.}}(): system.main.{{.}}() without what is internal.';
{{- end}}
