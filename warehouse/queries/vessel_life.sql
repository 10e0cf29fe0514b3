-- One vessel's life: each change of its values and each stay in a status, in the order of time.
-- The stays are those that status searches saw, by their first sighting.
-- param vessel (vessel): a vessel_id, an IMO number or an MMSI, such as 9218301; the vessel with most changes if not given
WITH v AS (SELECT coalesce(getvariable('vessel')::VARCHAR, (SELECT mode(vessel_id ORDER BY vessel_id) FROM confirmed_changes)) AS number)
SELECT seen_after AS observed_at, 'change of ' || dataset AS event, field AS what, old_value AS before, new_value AS after
FROM   changes_of((SELECT number FROM v))
UNION ALL
SELECT e.first_seen, 'stay, in nights: ' || e.nights, e.navigational_status, NULL, e.world_zone
FROM   vessel_episodes AS e
JOIN   vessels AS s ON s.vessel_id = e.vessel_id AND (SELECT number FROM v) IN (s.vessel_id, s.imo::VARCHAR, s.mmsi)
ORDER BY observed_at, event, what;
