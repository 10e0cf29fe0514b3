-- The fleet by flag on the first night and on the last.
-- fleet_on(night) is the list as of any night, with the registrations of then. Put dates of your own
-- in the place of the subqueries.
SELECT coalesce(a.flag, b.flag) AS flag, coalesce(a.vessels, 0) AS first_night, coalesce(b.vessels, 0) AS last_night, last_night - first_night AS difference
FROM      (SELECT flag, count(*) AS vessels FROM fleet_on((SELECT min(snapshot_date) FROM runs)) WHERE is_vessel GROUP BY flag) AS a
FULL JOIN (SELECT flag, count(*) AS vessels FROM fleet_on((SELECT max(snapshot_date) FROM runs)) WHERE is_vessel GROUP BY flag) AS b ON b.flag IS NOT DISTINCT FROM a.flag
ORDER BY abs(difference) DESC, last_night DESC, flag;
