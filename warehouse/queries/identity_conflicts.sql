-- Identity conflicts: one number under which two ships sail, in two zones at once.
-- A vessel that crosses the border of two zones is seen in both for a night; here both stays last beyond the
-- night on which they meet. identity_review has every other case that a person should look at.
SELECT v.vessel_id, v.name, v.flag, v.vessel_type, a.world_zone, b.world_zone AS other_zone, count(*) AS meetings,
       min(greatest(a.first_date, b.first_date)) AS since, max(least(a.last_date, b.last_date)) AS last_date
FROM   vessel_episodes AS a
JOIN   vessel_episodes AS b ON b.vessel_id = a.vessel_id AND b.world_zone > a.world_zone AND b.first_date < a.last_date AND a.first_date < b.last_date
JOIN   vessels AS v ON v.vessel_id = a.vessel_id AND v.is_vessel
GROUP BY ALL
ORDER BY meetings DESC, v.vessel_id, a.world_zone, other_zone;
