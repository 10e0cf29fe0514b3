-- arrivals_clear: the arrivals of the vessels that are computed again.
-- reads: stays_recomputed
-- changes: internal.arrivals
-- needs: stays_recomputed
DELETE FROM internal.arrivals WHERE vessel_key IN (SELECT {{template "vessel_key" "vessel_id"}} FROM stays_recomputed);
