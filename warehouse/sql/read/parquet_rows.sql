-- parquet_rows: the number of rows of a Parquet file, from its footer.
SELECT num_rows FROM parquet_file_metadata($1);
