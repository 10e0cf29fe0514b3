-- voyages_observed: what tonight says of the voyages: each answer of a lookup that has a value, and of each vessel what
-- the status searches prove, as of the last that returned it. A status that an answer dates before the
-- vessel's last sighting says nothing that the sighting does not know better.
-- reads: internal.latest, night_voyages, sighted
-- makes: voyages_observed
-- needs: night_voyages or night_sightings
CREATE OR REPLACE TEMP TABLE voyages_observed AS
WITH searched AS (
    SELECT vessel_id, max(last_seen) AS seen_at,
           arg_max(run_id, {seen: last_seen, sweep: sweep}) AS run_id, arg_max(entry, {seen: last_seen, sweep: sweep}) AS entry,
           arg_max(navigational_status, {seen: last_seen, sweep: sweep}) AS navigational_status,
           nullif(arg_max(coalesce(world_zone, ''), {seen: last_seen, sweep: sweep}), '') AS world_zone,
           arg_max(laden, {seen: last_seen, sweep: sweep}) AS laden, arg_max(for_order, {seen: last_seen, sweep: sweep}) AS for_order
    FROM   sighted
    GROUP BY vessel_id
)
SELECT n.vessel_id, n.seen_at, n.run_id, n.entry, n.operation, n.updated_at,
       n.destination, n.locode, n.eta, n.last_port, n.last_port_locode, n.departed_at, n.draught_m, n.max_draught_m,
       CASE WHEN coalesce(n.position_at, n.seen_at) >= coalesce(s.seen_at, l.sighting_seen_at, '-infinity') THEN n.navigational_status END AS navigational_status,
       NULL::VARCHAR AS world_zone, NULL::VARCHAR AS laden, NULL::BOOLEAN AS for_order, n.raw, n.extra, n.seen_at AS looked_up
FROM   night_voyages AS n
LEFT JOIN searched AS s ON s.vessel_id = n.vessel_id
LEFT JOIN internal.latest AS l ON l.vessel_id = n.vessel_id
UNION ALL BY NAME
SELECT vessel_id, seen_at, run_id, entry, 'by-status' AS operation, navigational_status, world_zone, laden, for_order
FROM   searched;
