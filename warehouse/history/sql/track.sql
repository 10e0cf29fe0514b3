-- track: where a vessel was at its newest $3 positions, oldest first. One without a time is placed by its answer.
WITH numbered AS MATERIALIZED (SELECT vessel_id, position_at, seen_at, latitude, longitude FROM positions WHERE vessel_number = $1)
SELECT position_at, seen_at, latitude, longitude
FROM   (SELECT *, coalesce(position_at, seen_at) AS place FROM numbered WHERE vessel_id = $2 ORDER BY place DESC, seen_at DESC LIMIT $3)
ORDER BY place, seen_at;
