-- sorted: whether the rows of a Parquet file are in the order of vessel_id.
SELECT coalesce(bool_and(vessel_id > before), true)
FROM   (SELECT vessel_id, lag(vessel_id) OVER () AS before FROM read_parquet($1, hive_partitioning = false));
