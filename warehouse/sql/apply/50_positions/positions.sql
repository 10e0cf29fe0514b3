-- positions: store the new positions, with all columns of the lake but those that other tables have. The names are not
-- listed, so that a column which the lake and the table have is filled.
-- reads: positions_fresh
-- adds to: positions
-- needs: positions_fresh
INSERT INTO positions BY NAME
SELECT * EXCLUDE (imo, mmsi, snapshot_date, updated_at), internal.number_of(vessel_id) AS vessel_number
FROM   positions_fresh
ORDER BY vessel_id, coalesce(position_at, seen_at), seen_at, run_id, entry;
