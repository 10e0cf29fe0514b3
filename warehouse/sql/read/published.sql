-- published: the runs whose answers are in this file.
SELECT run_id FROM runs;
