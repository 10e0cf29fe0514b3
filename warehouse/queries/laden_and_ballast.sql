-- Laden or in ballast: the share of the vessels that sail empty, by zone.
-- It needs sweeps that ask by load condition: sweep.laden in the configuration. Complete searches
-- only.
SELECT snapshot_date, world_zone, sum(vessels) FILTER (laden = 'laden') AS laden, sum(vessels) FILTER (laden = 'ballast') AS in_ballast,
       round(100 * sum(vessels) FILTER (laden = 'ballast') / sum(vessels), 1) AS percent_in_ballast
FROM   zone_daily
WHERE  is_vessel AND laden IS NOT NULL AND state = 'complete'
GROUP BY ALL
HAVING sum(vessels) > 0
ORDER BY snapshot_date DESC, world_zone;
