-- latest_known: the latest position and status of each vessel that has any: the state before
-- tonight, updated by tonight's rows. Reading the whole history would take longer every night. A position and a
-- status without a time of their own count as of their answer in the order alone, and stay without a time.
-- reads: internal.latest, night_positions, positions_fresh, sighted
-- makes: latest_known
-- needs: night_sightings or night_positions
CREATE OR REPLACE TEMP TABLE latest_known AS
SELECT vessel_id,
       arg_max(place, {instant: coalesce(place_at, place_seen_at), seen: place_seen_at}) AS place,
       arg_max({dated: place_at, seen: place_seen_at}, {instant: coalesce(place_at, place_seen_at), seen: place_seen_at}) FILTER (place IS NOT NULL) AS placed,
       max(dated_at) AS dated_at, max(position_seen_at) AS position_seen_at,
       arg_max({status: navigational_status, dated: status_at}, status_known_at) FILTER (navigational_status IS NOT NULL) AS reported, max(status_known_at) AS status_known_at,
       arg_max(world_zone, sighting_seen_at) AS world_zone, max(sighting_seen_at) AS sighting_seen_at,
       arg_max(laden, laden_at) AS laden, max(laden_at) AS laden_at, arg_max(for_order, for_order_at) AS for_order, max(for_order_at) AS for_order_at
FROM (
    -- the latest before tonight
    SELECT vessel_id, CASE WHEN place_seen_at IS NOT NULL THEN {{template "position" "reported_status"}} END AS place, position_at AS place_at, place_seen_at,
           dated_at, position_seen_at, navigational_status, navigational_status_at AS status_at, status_known_at,
           coalesce(world_zone, '') AS world_zone, sighting_seen_at, laden, laden_at, for_order, for_order_at
    FROM   internal.latest
    UNION ALL BY NAME
    -- tonight's new positions
    SELECT vessel_id, {{template "position"}} AS place, position_at AS place_at, seen_at AS place_seen_at, position_at AS dated_at
    FROM   positions_fresh
    UNION ALL BY NAME
    -- tonight's statuses of lookups, with coordinates or without
    SELECT vessel_id, navigational_status, position_at AS status_at, coalesce(position_at, seen_at) AS status_known_at
    FROM   night_positions
    WHERE  navigational_status IS NOT NULL
    UNION ALL BY NAME
    -- when a position was last answered, new or not; an answer without any value is none
    SELECT vessel_id, max(seen_at) AS position_seen_at
    FROM   night_positions
    WHERE  coalesce(latitude::VARCHAR, speed_kn::VARCHAR, position_at::VARCHAR, navigational_status, destination, last_port, eta::VARCHAR, draught_m::VARCHAR) IS NOT NULL
    GROUP BY vessel_id
    UNION ALL BY NAME
    -- tonight's sightings
    SELECT vessel_id, arg_max(navigational_status, {seen: last_seen, sweep: sweep}) AS navigational_status, max(last_seen) AS status_at, max(last_seen) AS status_known_at,
           arg_max(coalesce(world_zone, ''), {seen: last_seen, sweep: sweep}) AS world_zone, max(last_seen) AS sighting_seen_at,
           arg_max(laden, {seen: last_seen, sweep: sweep}) AS laden, max(last_seen) FILTER (laden IS NOT NULL) AS laden_at,
           arg_max(for_order, {seen: last_seen, sweep: sweep}) AS for_order, max(last_seen) FILTER (for_order IS NOT NULL) AS for_order_at
    FROM   sighted
    GROUP BY vessel_id
)
GROUP BY vessel_id;
