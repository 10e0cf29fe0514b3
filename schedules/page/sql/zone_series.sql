-- zone_series.sql: the vessels in zone $1 by night and status, on the newest $2 nights. A number is known
-- where the night's search was complete. Searches with filters count only on nights without one for all
-- vessels.
WITH nights AS (
    SELECT DISTINCT snapshot_date FROM runs ORDER BY snapshot_date DESC LIMIT $2
), counted AS (
    SELECT snapshot_date, navigational_status, laden IS NULL AND for_order IS NULL AND vessel_type IS NULL AS of_all, vessels, state
    FROM   zone_daily
    WHERE  world_zone = $1 AND is_vessel
    QUALIFY of_all OR count(*) FILTER (of_all) OVER (PARTITION BY snapshot_date, navigational_status) = 0
), statuses AS (
    SELECT DISTINCT navigational_status FROM counted
)
SELECT s.navigational_status, strftime(n.snapshot_date, '%Y-%m-%d') AS night, coalesce(sum(c.vessels), 0)::INTEGER AS vessels, coalesce(bool_and(c.state = 'complete'), false) AS known
FROM   nights AS n
CROSS JOIN statuses AS s
LEFT JOIN counted AS c ON c.snapshot_date = n.snapshot_date AND c.navigational_status = s.navigational_status
GROUP BY ALL
ORDER BY s.navigational_status, night;
