-- arrived.sql: vessels whose stay on the list began on night $1. One that was listed before and
-- left is back, not new.
SELECT count(*) OVER () AS total, l.vessel_id, r.name, if(e.vessel_id IS NULL, '', 'was listed before') AS was, r.country AS now_is, r.vessel_type
FROM   listed AS l
JOIN   registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL AND r.is_vessel
LEFT JOIN (SELECT vessel_id, max(to_date) AS to_date FROM listed WHERE to_date IS NOT NULL GROUP BY vessel_id) AS e
       ON e.vessel_id = l.vessel_id AND e.to_date < l.from_date
WHERE  l.from_date = $1::DATE
ORDER BY r.imo IS NULL, r.name, l.vessel_id
LIMIT  $2;
