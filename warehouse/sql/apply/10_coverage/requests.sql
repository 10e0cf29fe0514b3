-- requests: the credit ledger of tonight's runs, a row per request sent.
-- reads: lake_requests
-- adds to: requests
-- needs: lake_requests
INSERT INTO requests (run_id, entry, snapshot_date, operation, parameters, sent_at, received_at, http_status, credits, charge, outcome, rows, vessel_number)
SELECT run_id, entry, $date, operation, parameters, sent_at, received_at, http_status, credits, charge, outcome, rows,
       TRY_CAST(regexp_extract(parameters, '(^|&)imo_or_mmsi=([0-9]+)(&|$)', 2) AS INTEGER)
FROM   lake_requests ORDER BY run_id, entry;
