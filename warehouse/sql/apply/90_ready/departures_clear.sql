-- departures_clear: the departures of the vessels that are computed again.
-- reads: stays_recomputed
-- changes: internal.departures
-- needs: stays_recomputed
DELETE FROM internal.departures WHERE vessel_key IN (SELECT {{template "vessel_key" "vessel_id"}} FROM stays_recomputed);
