-- episodes: a vessel's stays in a status and zone, the latest first.
SELECT navigational_status, coalesce(world_zone, ''), coalesce(laden, ''), for_order, coalesce(vessel_type, ''), first_seen, last_seen, nights, coalesce(run_id, ''), coalesce(entry, -1)
FROM   episodes
WHERE  vessel_number = $1 AND vessel_id = $2
ORDER BY last_seen DESC, first_seen DESC, sweep;
