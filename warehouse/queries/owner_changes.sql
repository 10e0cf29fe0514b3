-- Vessels with another registered owner than at the lookup before.
-- A vessel is looked up seldom: the sale lies somewhere between the two observations.
SELECT c.vessel_id, v.name, v.category, c.old_value AS owner_before, c.new_value AS owner_now, v.manager AS manager_now, (c.seen_before AT TIME ZONE 'UTC')::DATE AS not_before, (c.seen_after AT TIME ZONE 'UTC')::DATE AS not_after
FROM   changes AS c
JOIN   vessels AS v USING (vessel_id)
WHERE  c.dataset = 'management' AND c.field = 'registered_owner' AND c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
ORDER BY c.seen_after DESC, c.vessel_id;
