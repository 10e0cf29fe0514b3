-- coverage: what each of tonight's runs covered of each partition.
INSERT INTO coverage (run_id, snapshot_date, operation, kind, value, pages, expected_rows, received_rows, state, reason)
SELECT run_id, $date, operation, kind, value, pages, expected_rows, received_rows, state, reason FROM lake_coverage ORDER BY run_id, operation, kind, value;
