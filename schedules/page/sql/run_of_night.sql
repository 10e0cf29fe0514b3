-- run_of_night.sql: the last run that stands for the night $1.
SELECT max(run_id) AS run_id FROM runs WHERE snapshot_date = $1::DATE HAVING count(*) > 0;
