-- dataset_columns: the columns of the datasets that have observed values. The columns that are left
-- out say when a version was observed, and in which answer.
SELECT table_name, column_name
FROM   system.main.duckdb_columns()
WHERE  database_name = current_database() AND table_name IN ('registration', 'particulars', 'engine', 'management', 'voyages')
  AND  column_name NOT IN ('vessel_id', 'vessel_number', 'snapshot_date', 'valid_from', 'valid_to', 'closed_date', 'first_seen', 'last_seen', 'known_since', 'doubtful', 'first_looked_up', 'last_looked_up',
                           'run_id', 'entry', 'raw', 'extra', 'fingerprint', 'untold')
ORDER BY table_name, column_index;
