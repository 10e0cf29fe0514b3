-- track: where a vessel was at its newest $3 positions, oldest first.
WITH numbered AS MATERIALIZED (SELECT vessel_id, position_at, latitude, longitude FROM positions WHERE vessel_number = $1)
SELECT position_at, latitude, longitude
FROM   (SELECT position_at, latitude, longitude FROM numbered WHERE vessel_id = $2 ORDER BY position_at DESC LIMIT $3)
ORDER BY position_at;
