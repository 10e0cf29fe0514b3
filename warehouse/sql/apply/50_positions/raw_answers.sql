-- raw_answers: keep tonight's answers of operations whose fields the service does not document.
-- reads: lake_raw_answers
-- adds to: raw_answers
-- needs: lake_raw_answers
INSERT INTO raw_answers BY NAME
SELECT run_id, entry, snapshot_date, seen_at, vessel_id, operation, asked, body
FROM   lake_raw_answers
ORDER BY operation, vessel_id, run_id, entry;
