-- zones.sql: vessels by status and zone at the latest night up to $1 whose search was complete,
-- and whether the search of the latest night was.
WITH searched AS (
    SELECT value, navigational_status AS status, coalesce(world_zone, '') AS zone,
           max(snapshot_date) FILTER (state = 'complete') AS seen_on, arg_max(state, run_id) AS state
    FROM   coverage
    WHERE  navigational_status IS NOT NULL AND state <> 'skipped' AND snapshot_date <= $1::DATE
    GROUP BY ALL
)
SELECT s.status, s.zone, count(DISTINCT e.vessel_id) AS vessels, strftime(min(s.seen_on), '%Y-%m-%d') AS seen_on,
       bool_and(s.state = 'complete') AS complete
FROM   searched AS s
LEFT JOIN episodes AS e ON e.sweep = s.value AND e.first_date <= s.seen_on AND e.last_date = s.seen_on
GROUP BY ALL
ORDER BY ALL;
