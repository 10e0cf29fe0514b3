-- The fleet by night and category, and how much of it each night listed itself.
-- Where the two differ, coverage was not complete.
SELECT snapshot_date, category, sum(listed)::INTEGER AS listed, sum(seen)::INTEGER AS seen,
       (sum(listed) - lag(sum(listed)) OVER (PARTITION BY category ORDER BY snapshot_date))::INTEGER AS growth
FROM   fleet_daily
WHERE  is_vessel
GROUP BY snapshot_date, category
ORDER BY snapshot_date, category;
