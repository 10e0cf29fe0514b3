-- fleet: how many rows of the view vessels a Parquet file lacks, and the reverse.
SELECT (SELECT count(*) FROM (SELECT {{.Ours}} FROM vessels EXCEPT ALL SELECT {{.Theirs}} FROM read_parquet($1, hive_partitioning = false))),
       (SELECT count(*) FROM (SELECT {{.Theirs}} FROM read_parquet($1, hive_partitioning = false) EXCEPT ALL SELECT {{.Ours}} FROM vessels));
