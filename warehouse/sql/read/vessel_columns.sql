-- vessel_columns: the columns of the view vessels, and their types.
SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database() AND table_name = 'vessels' ORDER BY column_index;
