-- targets: every vessel that can be looked up, and when each dataset was last seen.
SELECT v.vessel_id, coalesce(v.imo, 0), coalesce(v.mmsi, ''), coalesce(v.is_vessel, true), coalesce(v.category, ''), v.listed,
       v.particulars_seen_at, v.engine_seen_at, v.management_seen_at, v.position_seen_at, r.valid_from, v.first_seen,
       coalesce(v.name, ''), coalesce(v.flag, ''), coalesce(v.vessel_type, ''), coalesce(v.navigational_status, ''), coalesce(v.world_zone, '')
FROM   vessels AS v
JOIN   registration AS r ON r.vessel_id = v.vessel_id AND r.valid_to IS NULL
WHERE  v.imo IS NOT NULL OR v.mmsi IS NOT NULL
ORDER BY v.vessel_id;
