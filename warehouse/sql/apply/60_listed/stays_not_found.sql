-- stays_not_found: the vessel is gone, since the list missed her once, and then the service did not know her
-- number any more by which an earlier lookup of the same kind had found her. An operation that never found
-- her may just have nothing about her. Of several answers the latest counts. A vessel that is known by her MMSI alone
-- gives it up with her flag: that nobody has it any more does not prove her gone.
-- reads: listed, requests
-- changes: listed
-- needs: lake_requests
-- needs: listed WHERE to_date IS NULL AND missing_since IS NOT NULL
-- after: stays_missed
UPDATE listed AS h
SET    to_date = h.last_date, absent_on = $date, proof = 'not found by lookup'
FROM (
    WITH missing AS (
        SELECT rowid AS rid, internal.number_of(vessel_id) AS vessel_number, missing_since FROM listed WHERE to_date IS NULL AND missing_since IS NOT NULL AND vessel_id[1:3] = 'IMO'
    -- answers: what tonight's lookups of these vessels found
    ), answers AS (
        SELECT m.rid, q.vessel_number, q.operation, arg_max(q.outcome, {sent_at: q.sent_at, run_id: q.run_id, entry: q.entry}) AS outcome, max(q.sent_at) AS sent_at
        FROM   missing AS m
        JOIN   requests AS q ON q.vessel_number = m.vessel_number AND q.snapshot_date = $date
        WHERE  q.outcome IN ('ok', 'not_found')
        GROUP BY m.rid, q.vessel_number, q.operation
    )
    SELECT rid
    FROM   answers AS a
    GROUP BY rid
    HAVING bool_and(outcome = 'not_found')
       AND bool_or(EXISTS (FROM requests AS k WHERE k.vessel_number = a.vessel_number AND k.operation = a.operation AND k.outcome = 'ok' AND k.sent_at < a.sent_at))
) AS n
WHERE  h.rowid = n.rid;
