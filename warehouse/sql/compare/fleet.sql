-- fleet: how many rows of the view vessels a Parquet file lacks, and the reverse.
SELECT (SELECT count(*) FROM (SELECT {{.}} FROM vessels EXCEPT ALL SELECT {{.}} FROM read_parquet($1, hive_partitioning = false))),
       (SELECT count(*) FROM (SELECT {{.}} FROM read_parquet($1, hive_partitioning = false) EXCEPT ALL SELECT {{.}} FROM vessels));
