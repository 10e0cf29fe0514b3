-- episodes: a vessel's stays in a status and zone, the latest first. The rows with its number
-- are few and far apart: comparing their ids in the same scan takes four times as long as
-- comparing them afterwards.
WITH numbered AS MATERIALIZED (
    SELECT vessel_id, navigational_status, world_zone, laden, for_order, vessel_type, sweep, first_seen, last_seen, nights, run_id, entry FROM episodes WHERE vessel_number = $1
)
SELECT navigational_status, coalesce(world_zone, ''), coalesce(laden, ''), for_order, coalesce(vessel_type, ''), first_seen, last_seen, nights, coalesce(run_id, ''), coalesce(entry, -1)
FROM   numbered
WHERE  vessel_id = $2
ORDER BY last_seen DESC, first_seen DESC, sweep;
