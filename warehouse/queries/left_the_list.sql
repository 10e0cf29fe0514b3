-- Vessels that left the list and did not come back.
-- They left between last_date, their last night on it, and missing_since, the first night whose list missed them;
-- absent_on is the night that proved it.
SELECT v.vessel_id, v.name, v.flag, v.category, l.from_date AS listed_from, l.last_date, l.missing_since, l.absent_on, l.proof
FROM   vessels AS v
JOIN   (SELECT * FROM listed QUALIFY row_number() OVER (PARTITION BY vessel_id ORDER BY from_date DESC) = 1) AS l USING (vessel_id)
WHERE  l.absent_on IS NOT NULL AND v.is_vessel
ORDER BY l.absent_on DESC, v.vessel_id;
