-- parquet_rows: the number of rows of some Parquet files, from their footers.
SELECT file_name, num_rows FROM parquet_file_metadata($1::VARCHAR[]);
