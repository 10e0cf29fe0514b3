-- Tankers that wait: at anchor or adrift, laden ones first.
-- The load is known where a job sweeps by it (sweep.laden), as of laden_at; the status is as of navigational_status_at and the
-- position as of position_at, null where the service does not say. `fleetlake query waiting_tankers --param laden=laden`
-- has the laden ones alone; off Fujairah: AND distance_nm(25.2, 56.45, v.latitude, v.longitude) < 40.
-- param zone (zone): the world zone; all without it
-- param laden (load): ballast, partial or laden; all, and those of unknown load, without it
SELECT v.vessel_id, v.name, v.flag, v.deadweight_t, v.laden, v.laden_at, v.world_zone, v.navigational_status, v.navigational_status_at,
       v.latitude, v.longitude, v.position_at, v.destination, v.draught_m
FROM   vessels AS v
WHERE  v.listed AND v.category = 'tanker' AND v.navigational_status IN ('at-anchor', 'drifting')
  AND  v.world_zone IS NOT DISTINCT FROM coalesce(getvariable('zone')::VARCHAR, v.world_zone)
  AND  v.laden IS NOT DISTINCT FROM coalesce(getvariable('laden')::VARCHAR, v.laden)
ORDER BY v.laden = 'laden' DESC NULLS LAST, v.deadweight_t DESC NULLS LAST, v.vessel_id
LIMIT  50;
