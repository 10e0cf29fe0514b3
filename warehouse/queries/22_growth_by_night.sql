-- The fleet by night and category, as it was known after each night, and how many of it that
-- night itself showed: where the two differ, the night was not whole.
SELECT snapshot_date, category, sum(listed)::INTEGER AS listed, sum(seen)::INTEGER AS seen,
       (sum(listed) - lag(sum(listed)) OVER (PARTITION BY category ORDER BY snapshot_date))::INTEGER AS growth
FROM   fleet_daily
GROUP BY snapshot_date, category
ORDER BY snapshot_date, category;
