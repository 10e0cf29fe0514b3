-- parquet_rows: the rows of a Parquet file, by its footer.
SELECT num_rows FROM parquet_file_metadata($1);
