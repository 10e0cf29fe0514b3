-- Vessels that left the list and did not come back.
-- They left between last_date, their last night on it, and absent_on, the night whose coverage proved it.
SELECT v.vessel_id, v.name, v.flag, v.category, l.from_date AS listed_from, l.last_date, l.absent_on
FROM   vessels AS v
JOIN   (SELECT * FROM listed QUALIFY row_number() OVER (PARTITION BY vessel_id ORDER BY from_date DESC) = 1) AS l USING (vessel_id)
WHERE  l.absent_on IS NOT NULL AND v.is_vessel
ORDER BY l.absent_on DESC, v.vessel_id;
