-- latest: store latest_known. An empty zone is that of a status that is searched for worldwide.
-- reads: latest_known
-- adds to: internal.latest
-- changes: internal.latest
-- needs: latest_known
DELETE FROM internal.latest;
INSERT INTO internal.latest BY NAME
SELECT vessel_id, place.latitude AS latitude, place.longitude AS longitude, place.speed_kn AS speed_kn, place.course_deg AS course_deg,
       place.destination AS destination, place.eta AS eta, position_at, position_seen_at,
       navigational_status, navigational_status_at, nullif(world_zone, '') AS world_zone, sighting_seen_at
FROM   latest_known
ORDER BY vessel_id;
