-- partitions_before: how the partitions were covered before tonight.
CREATE OR REPLACE TEMP TABLE partitions_before AS FROM partitions;
