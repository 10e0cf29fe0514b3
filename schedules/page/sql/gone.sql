-- gone.sql: vessels that night $1 proved to have left the list, with their last night on it and the proof.
SELECT count(*) OVER () AS total, l.vessel_id, r.name, strftime(l.to_date, '%Y-%m-%d') || ', ' || l.proof AS was, r.country AS now_is, r.vessel_type
FROM   listed AS l
JOIN   registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL AND r.is_vessel
WHERE  l.absent_on = $1::DATE
ORDER BY r.imo IS NULL, r.name, l.vessel_id
LIMIT  $2;
