-- partitions_before: the latest coverage of each partition, before tonight.
-- reads: partitions
-- makes: partitions_before
CREATE OR REPLACE TEMP TABLE partitions_before AS FROM partitions;
