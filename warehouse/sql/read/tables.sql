-- tables: the tables of the file, the reference tables among them.
SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND NOT internal ORDER BY table_name;
