-- targets: every vessel that can be looked up, when each dataset was last seen, and how many
-- versions of its registration began within a week of the newest: more than a few mean that
-- the sources disagree, and not that the vessel changed.
WITH busy AS (
    SELECT vessel_id, max(valid_from) AS newest
    FROM   registration
    GROUP BY vessel_id
    HAVING count(*) > 1
),
lately AS (
    SELECT r.vessel_id, count(*) AS versions
    FROM   registration AS r
    JOIN   busy AS b ON b.vessel_id = r.vessel_id AND r.valid_from > b.newest - INTERVAL 7 DAY
    GROUP BY r.vessel_id
)
SELECT v.vessel_id, coalesce(v.imo, 0), coalesce(v.mmsi, ''), v.is_vessel, v.category, v.listed,
       v.particulars_seen_at, v.engine_seen_at, v.management_seen_at, v.position_seen_at, r.valid_from, v.first_seen,
       coalesce(v.name, ''), coalesce(v.flag, ''), coalesce(v.vessel_type, ''), coalesce(v.navigational_status, ''), coalesce(v.world_zone, ''), coalesce(l.versions, 1), {{template "age_band" "v"}}
FROM   vessels AS v
JOIN   registration AS r ON r.vessel_id = v.vessel_id AND r.valid_to IS NULL
LEFT JOIN lately AS l ON l.vessel_id = v.vessel_id
WHERE  v.imo IS NOT NULL OR v.mmsi IS NOT NULL
ORDER BY v.vessel_id;
