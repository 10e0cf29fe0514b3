-- Who waits where: the share at anchor of the vessels found in a zone, by week.
-- Only nights count on which the status search was covered completely.
SELECT date_trunc('week', snapshot_date)::DATE AS week, world_zone,
       round(sum(vessels) / count(DISTINCT snapshot_date), 1) AS vessels_a_night,
       round(100 * sum(vessels) FILTER (navigational_status = 'at-anchor') / sum(vessels), 1) AS percent_at_anchor
FROM   zone_daily
WHERE  is_vessel AND state = 'complete' AND world_zone IS NOT NULL
GROUP BY ALL
HAVING sum(vessels) > 0
ORDER BY week, percent_at_anchor DESC, world_zone;
