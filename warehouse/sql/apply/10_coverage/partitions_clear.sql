-- partitions_clear: partitions is small, and written anew.
DELETE FROM partitions;
