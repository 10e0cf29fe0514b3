-- positions: a vessel's latest position, how many there are, and since when.
WITH numbered AS MATERIALIZED (FROM positions WHERE vessel_number = $1)
SELECT count(*) OVER (), min(position_at) OVER (), position_at, seen_at, latitude, longitude, speed_kn, course_deg,
       coalesce(navigational_status, ''), coalesce(destination, ''), coalesce(operation, ''), coalesce(run_id, ''), coalesce(entry, -1)
FROM   numbered
WHERE  vessel_id = $2
ORDER BY position_at DESC
LIMIT  1;
