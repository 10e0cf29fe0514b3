-- arrivals: tonight's arrivals, and all of the vessels that are computed again.
-- reads: internal.searches, stays_known
-- adds to: internal.arrivals
-- needs: stays_known
-- after: arrivals_clear, searches_zone_proven
INSERT INTO internal.arrivals BY NAME
SELECT first_date AS snapshot_date, world_zone, {{template "vessel_key" "vessel_id"}} AS vessel_key, navigational_status, from_zone, not_before, proof, first_seen, run_id, entry
FROM   ({{template "arrived" "stays_known"}}) AS s
WHERE  arrives
ORDER BY snapshot_date, vessel_key;
