-- fleet_series.sql: the listed vessels by night and flag or category, on the newest $1 nights; the largest
-- $2 of each. A night of which nothing is counted has no rows.
WITH summed AS (
    SELECT CASE grouping(flag, category) WHEN 1 THEN 'flag' WHEN 2 THEN 'category' ELSE 'all' END AS by_what, coalesce(flag, category, '') AS value, snapshot_date, sum(listed)::INTEGER AS vessels
    FROM   fleet_daily
    WHERE  is_vessel AND snapshot_date IN (SELECT DISTINCT snapshot_date FROM fleet_daily ORDER BY snapshot_date DESC LIMIT $1)
    GROUP BY GROUPING SETS ((flag, snapshot_date), (category, snapshot_date), (snapshot_date))
), ranked AS (
    SELECT by_what, value, row_number() OVER (PARTITION BY by_what ORDER BY arg_max(vessels, snapshot_date) DESC, value) AS place
    FROM   summed
    WHERE  by_what <> 'flag' OR value <> ''
    GROUP BY by_what, value
), nights AS (
    SELECT DISTINCT snapshot_date FROM summed
)
SELECT r.by_what, r.value, coalesce(f.name, '') AS country, strftime(n.snapshot_date, '%Y-%m-%d') AS night, coalesce(s.vessels, 0)::INTEGER AS vessels
FROM   ranked AS r
CROSS JOIN nights AS n
LEFT JOIN summed AS s ON s.by_what = r.by_what AND s.value = r.value AND s.snapshot_date = n.snapshot_date
LEFT JOIN flags AS f ON f.flag = CASE r.by_what WHEN 'flag' THEN r.value END
WHERE  r.place <= $2
ORDER BY r.by_what, r.place, night;
