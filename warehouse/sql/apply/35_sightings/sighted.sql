-- sighted: each vessel once for each search that returned it tonight, over all runs of the night. An answer for a zone that
-- the service ignored is one of the world: the vessel has its status, and no zone.
-- reads: lake_coverage, night_sightings
-- makes: sighted
-- columns: vessel_id VARCHAR, sweep VARCHAR, navigational_status VARCHAR, world_zone VARCHAR, laden VARCHAR
-- columns: for_order BOOLEAN, vessel_type VARCHAR, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, run_id VARCHAR, entry INTEGER
-- needs: night_sightings
CREATE OR REPLACE TEMP TABLE sighted AS
SELECT s.vessel_id, CASE WHEN i.sweep IS NULL THEN s.sweep ELSE replace(s.sweep, '/' || s.world_zone, '') END AS sweep,
       any_value(navigational_status) AS navigational_status, any_value(CASE WHEN i.sweep IS NULL THEN s.world_zone END) AS world_zone,
       any_value(laden) AS laden, any_value(for_order) AS for_order, any_value(vessel_type_filter) AS vessel_type,
       min(seen_at) AS first_seen, max(seen_at) AS last_seen, arg_min(run_id, seen_at) AS run_id, arg_min(entry, seen_at) AS entry
FROM   night_sightings AS s
LEFT JOIN (SELECT DISTINCT lower(trim(value)) AS sweep FROM lake_coverage WHERE kind = 'status' AND reason = 'the service ignores the zone') AS i
       ON i.sweep = lower(s.sweep)
WHERE  navigational_status IS NOT NULL
GROUP BY ALL;
