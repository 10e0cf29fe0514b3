-- aground.sql: vessels that night $1 was the first to see aground.
SELECT count(*) OVER () AS total, e.vessel_id, r.name, '' AS was, r.country AS now_is, r.vessel_type
FROM   (SELECT DISTINCT vessel_id FROM episodes WHERE navigational_status = 'aground' AND first_date = $1::DATE) AS e
JOIN   registration AS r ON r.vessel_id = e.vessel_id AND r.valid_to IS NULL AND r.is_vessel
ORDER BY r.imo IS NULL, r.name, e.vessel_id
LIMIT  $2;
