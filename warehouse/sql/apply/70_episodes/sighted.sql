-- sighted: each vessel once for each search that returned it tonight, over all runs of the night.
-- reads: night_sightings
-- makes: sighted
-- columns: vessel_id VARCHAR, sweep VARCHAR, navigational_status VARCHAR, world_zone VARCHAR, laden VARCHAR
-- columns: for_order BOOLEAN, vessel_type VARCHAR, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, run_id VARCHAR, entry INTEGER
-- needs: night_sightings
CREATE OR REPLACE TEMP TABLE sighted AS
SELECT vessel_id, sweep,
       any_value(navigational_status) AS navigational_status, any_value(world_zone) AS world_zone,
       any_value(laden) AS laden, any_value(for_order) AS for_order, any_value(vessel_type_filter) AS vessel_type,
       min(seen_at) AS first_seen, max(seen_at) AS last_seen, arg_min(run_id, seen_at) AS run_id, arg_min(entry, seen_at) AS entry
FROM   night_sightings
WHERE  navigational_status IS NOT NULL
GROUP BY vessel_id, sweep;
