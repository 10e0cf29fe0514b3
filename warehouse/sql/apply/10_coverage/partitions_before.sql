-- partitions_before: the latest coverage of each partition, before tonight.
CREATE OR REPLACE TEMP TABLE partitions_before AS FROM partitions;
