-- issues: the values and records of tonight that were not accepted as received.
-- reads: lake_issues
-- adds to: issues
-- needs: lake_issues
INSERT INTO issues (run_id, entry, snapshot_date, vessel_id, vessel_number, dataset, field, raw_value, reason)
SELECT run_id, entry, $date, vessel_id, internal.number_of(vessel_id), dataset, field, raw_value, reason FROM lake_issues ORDER BY run_id, entry;
