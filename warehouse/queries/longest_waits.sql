-- The longest waits: the stays at anchor that have lasted longest.
-- A stay is at least as long as from its first to its last sighting, and shorter than from the night before to
-- the night after.
SELECT e.vessel_id, v.name, v.category, e.world_zone, e.first_seen, e.last_seen, e.nights, e.nights_unseen,
       round(date_diff('hour', e.first_seen, e.last_seen) / 24, 1) AS days_at_least
FROM   vessel_episodes AS e
JOIN   vessels AS v USING (vessel_id)
WHERE  e.navigational_status = 'at-anchor' AND v.is_vessel
ORDER BY days_at_least DESC, e.vessel_id, e.first_seen
LIMIT  50;
