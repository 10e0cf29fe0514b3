-- latest_known: the latest position and status of each vessel that has any: the state before
-- tonight, updated by tonight's rows. Reading the whole history would take longer every night.
-- reads: internal.latest, night_positions, positions_fresh, sighted
-- makes: latest_known
-- needs: night_sightings or night_positions
CREATE OR REPLACE TEMP TABLE latest_known AS
SELECT vessel_id,
       arg_max(place, position_at) AS place, max(position_at) AS position_at, max(position_seen_at) AS position_seen_at,
       arg_max(navigational_status, status_at) AS navigational_status, max(status_at) AS navigational_status_at,
       arg_max(world_zone, sighting_seen_at) AS world_zone, max(sighting_seen_at) AS sighting_seen_at
FROM (
    -- the latest before tonight
    SELECT vessel_id,
           CASE WHEN position_at IS NOT NULL THEN {latitude: latitude, longitude: longitude, speed_kn: speed_kn, course_deg: course_deg, destination: destination, eta: eta} END AS place,
           position_at, position_seen_at, navigational_status, navigational_status_at AS status_at, coalesce(world_zone, '') AS world_zone, sighting_seen_at
    FROM   internal.latest
    UNION ALL
    -- tonight's new positions
    SELECT vessel_id, {latitude: latitude, longitude: longitude, speed_kn: speed_kn, course_deg: course_deg, destination: destination, eta: eta},
           position_at, NULL, navigational_status, CASE WHEN navigational_status IS NOT NULL THEN position_at END, NULL, NULL
    FROM   positions_fresh
    UNION ALL
    -- when a position was last answered, new or not; an answer without any value is none
    SELECT vessel_id, NULL, NULL, max(seen_at), NULL, NULL, NULL, NULL
    FROM   night_positions
    WHERE  coalesce(latitude::VARCHAR, speed_kn::VARCHAR, position_at::VARCHAR, navigational_status, destination, last_port, eta::VARCHAR, draught_m::VARCHAR) IS NOT NULL
    GROUP BY vessel_id
    UNION ALL
    -- tonight's sightings
    SELECT vessel_id, NULL, NULL, NULL, arg_max(navigational_status, {seen: last_seen, sweep: sweep}), max(last_seen),
           arg_max(coalesce(world_zone, ''), {seen: last_seen, sweep: sweep}), max(last_seen)
    FROM   sighted
    GROUP BY vessel_id
)
GROUP BY vessel_id;
