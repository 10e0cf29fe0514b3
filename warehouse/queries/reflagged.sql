-- Vessels that changed their flag, from which to which, and when.
-- The change happened between the two observations. Doubtful changes, seen at one observation only,
-- are left out.
SELECT c.vessel_id, v.imo, v.name, c.old_value AS flag_before, c.new_value AS flag_now, c.seen_before, c.seen_after
FROM   changes AS c
JOIN   vessels AS v USING (vessel_id)
WHERE  c.dataset = 'registration' AND c.field = 'flag' AND c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
ORDER BY c.seen_after DESC, c.vessel_id;
