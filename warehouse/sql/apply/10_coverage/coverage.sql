-- coverage: what each of tonight's runs covered of each partition.
-- reads: lake_coverage
-- adds to: coverage
-- needs: lake_coverage
INSERT INTO coverage BY NAME
SELECT run_id, $date AS snapshot_date, operation, kind, value, pages, expected_rows, received_rows, state, reason,
       navigational_status, world_zone, laden, for_order, vessel_type_filter
FROM   lake_coverage
ORDER BY run_id, operation, kind, value;
