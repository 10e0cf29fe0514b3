-- reported_statuses: store the statuses in answers without coordinates, which no position has.
-- reads: night_positions
-- adds to: internal.reported_statuses
-- needs: night_positions
INSERT INTO internal.reported_statuses BY NAME
SELECT vessel_id, navigational_status, position_at, seen_at, run_id, entry
FROM   night_positions
WHERE  navigational_status IS NOT NULL AND (latitude IS NULL OR longitude IS NULL)
ORDER BY vessel_id, seen_at, run_id, entry;
