-- rows_of_run: how many rows of a table came from a run.
SELECT count(*) FROM query_table($1) WHERE run_id = $2;
