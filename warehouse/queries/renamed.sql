-- Renamed vessels: old and new name, and whether the flag changed on the same night.
-- A vessel that is sold often gets both.
SELECT c.vessel_id, v.imo, c.old_value AS name_before, c.new_value AS name_now, c.snapshot_date, f.vessel_id IS NOT NULL AS reflagged_too
FROM   changes AS c
JOIN   vessels AS v USING (vessel_id)
LEFT JOIN changes AS f ON f.vessel_id = c.vessel_id AND f.snapshot_date = c.snapshot_date AND f.dataset = 'registration' AND f.field = 'flag' AND f.old_value IS NOT NULL
WHERE  c.dataset = 'registration' AND c.field = 'name' AND c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
ORDER BY c.snapshot_date DESC, c.vessel_id;
