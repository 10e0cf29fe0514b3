-- map.sql: where the listed vessels are whose position is known, counted by cells of $2 degrees. $1 is a world zone; empty is
-- all of them.
SELECT CAST(floor(longitude / $2) AS INTEGER) AS x, CAST(floor(latitude / $2) AS INTEGER) AS y, count(*) AS vessels
FROM   vessels
WHERE  listed AND is_vessel AND latitude IS NOT NULL AND longitude IS NOT NULL AND ($1 = '' OR world_zone = $1)
GROUP BY ALL
ORDER BY ALL;
