-- partitions_clear: the table partitions is small, and each night rewrites it.
DELETE FROM partitions;
