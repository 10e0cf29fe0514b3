-- fleet_series.sql: the listed vessels by night and flag or category, on the newest $1 nights; the largest
-- $2 of each. A night of which nothing is counted has no rows.
WITH counted AS (
    SELECT snapshot_date, flag, category, sum(listed)::INTEGER AS vessels
    FROM   fleet_daily
    WHERE  is_vessel AND snapshot_date IN (SELECT DISTINCT snapshot_date FROM fleet_daily ORDER BY snapshot_date DESC LIMIT $1)
    GROUP BY ALL
), summed AS (
    SELECT CASE grouping(flag, category) WHEN 1 THEN 'flag' WHEN 2 THEN 'category' ELSE 'all' END AS by_what, coalesce(flag, category, '') AS value, snapshot_date, sum(vessels)::INTEGER AS vessels
    FROM   counted
    GROUP BY GROUPING SETS ((flag, snapshot_date), (category, snapshot_date), (snapshot_date))
), ranked AS (
    SELECT *, dense_rank() OVER (PARTITION BY by_what ORDER BY newest DESC, value) AS place
    FROM   (SELECT *, arg_max(vessels, snapshot_date) OVER (PARTITION BY by_what, value) AS newest FROM summed WHERE by_what <> 'flag' OR value <> '')
), nights AS (
    SELECT DISTINCT snapshot_date FROM counted
)
SELECT r.by_what, r.value, coalesce(f.name, '') AS country, strftime(n.snapshot_date, '%Y-%m-%d') AS night, coalesce(s.vessels, 0)::INTEGER AS vessels
FROM   (SELECT DISTINCT by_what, value, place FROM ranked WHERE place <= $2) AS r
CROSS JOIN nights AS n
LEFT JOIN summed AS s ON s.by_what = r.by_what AND s.value = r.value AND s.snapshot_date = n.snapshot_date
LEFT JOIN flags AS f ON r.by_what = 'flag' AND f.flag = r.value
ORDER BY r.by_what, r.place, night;
