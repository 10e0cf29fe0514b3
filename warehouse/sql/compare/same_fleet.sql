-- same_fleet: whether the view vessels and a Parquet file have as many rows, with the same values: see hash. No row is
-- held in memory for that.
SELECT (SELECT (count(*), sum(hash(hash({{.}})))) FROM vessels)
       IS NOT DISTINCT FROM
       (SELECT (count(*), sum(hash(hash({{.}})))) FROM read_parquet($1, hive_partitioning = false));
