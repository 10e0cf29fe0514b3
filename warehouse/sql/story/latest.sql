-- latest: when a vessel's position was last told, and when a status search last showed it.
SELECT position_seen_at, sighting_seen_at FROM latest WHERE vessel_id = $1;
