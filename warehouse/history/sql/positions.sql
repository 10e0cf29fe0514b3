-- positions: a vessel's latest position, how many there are, and since when. One without a time is placed by its answer. Only the latest is read with all of its columns.
WITH numbered AS MATERIALIZED (
    SELECT rowid AS place, vessel_id, coalesce(position_at, seen_at) AS known_at, seen_at FROM positions WHERE vessel_number = $1
), own AS (
    SELECT count(*) AS positions, min(known_at) AS since, arg_max(place, {known: known_at, seen: seen_at}) AS latest FROM numbered WHERE vessel_id = $2
)
SELECT o.positions, o.since, p.position_at, p.seen_at, p.latitude, p.longitude, p.speed_kn, p.course_deg,
       coalesce(p.navigational_status, ''), coalesce(p.destination, ''), coalesce(p.operation, ''), coalesce(p.run_id, ''), coalesce(p.entry, -1)
FROM   own AS o
JOIN   positions AS p ON p.rowid = o.latest;
