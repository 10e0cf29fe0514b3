-- departures_clear: the departures of the vessels that are computed again.
DELETE FROM internal.departures WHERE vessel_number IN (SELECT vessel_number FROM stays_recomputed) AND vessel_id IN (SELECT vessel_id FROM stays_recomputed);
