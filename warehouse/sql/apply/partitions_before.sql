-- partitions_before: how they were covered before tonight.
CREATE OR REPLACE TEMP TABLE partitions_before AS FROM partitions;
