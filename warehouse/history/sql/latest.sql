-- latest: when an answer last had a vessel's position, and when a status search last returned it.
SELECT position_seen_at, sighting_seen_at FROM internal.latest WHERE vessel_id = $1;
