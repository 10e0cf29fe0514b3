-- zones.sql: vessels by status and zone at the latest night up to $1 whose search was complete,
-- and whether the search of the latest night was.
WITH searched AS (
    SELECT value, max(snapshot_date) FILTER (state = 'complete') AS seen_on,
           arg_max(state, run_id) AS state, max(snapshot_date) AS asked_on
    FROM   coverage
    WHERE  operation = 'by-status' AND kind = 'status' AND state <> 'skipped' AND snapshot_date <= $1::DATE
    GROUP BY value
)
SELECT split_part(split_part(s.value, '?', 1), '/', 1) AS status, split_part(split_part(s.value, '?', 1), '/', 2) AS zone,
       count(DISTINCT e.vessel_id) AS vessels, strftime(min(s.seen_on), '%Y-%m-%d') AS seen_on,
       bool_and(s.state = 'complete') AS complete
FROM   searched AS s
LEFT JOIN episodes AS e ON e.sweep = s.value AND e.first_date <= s.seen_on AND e.last_date = s.seen_on
GROUP BY ALL
ORDER BY ALL;
