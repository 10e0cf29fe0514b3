-- applied: whether a run's answers are in the file.
SELECT count(*) > 0 FROM runs WHERE run_id = $1;
