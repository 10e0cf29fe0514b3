-- tables: the tables of the file, the reference tables among them; internal ones with their schema.
SELECT if(schema_name = 'main', table_name, schema_name || '.' || table_name) AS name FROM system.main.duckdb_tables() WHERE NOT temporary AND NOT internal ORDER BY name;
