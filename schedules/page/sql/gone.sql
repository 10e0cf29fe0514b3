-- gone.sql: vessels that the coverage of night $1 proved to have left the list.
SELECT count(*) OVER () AS total, l.vessel_id, r.name, strftime(l.to_date, '%Y-%m-%d') AS was, r.country AS now_is, r.vessel_type
FROM   listed AS l
JOIN   registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL AND r.is_vessel
WHERE  l.absent_on = $1::DATE
ORDER BY r.imo IS NULL, r.name, l.vessel_id
LIMIT  $2;
