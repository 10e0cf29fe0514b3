-- fleet.sql: the listed fleet of vessels by flag, by category and by age on date $1, in one pass.
-- Beacons, buoys, platforms and aircraft are counted as things and nowhere else.
WITH fleet AS (
    SELECT coalesce(country, '') AS country, coalesce(flag, '') AS flag, coalesce(category, 'unknown') AS category, is_vessel IS NOT false AS is_vessel,
           CASE WHEN is_vessel IS false OR year_built IS NULL OR year_built > year($1::DATE) + 1 THEN NULL
                ELSE least(greatest(year($1::DATE) - year_built, 0) // 5, 8) END AS band
    FROM   vessels
    WHERE  listed
)
SELECT CASE grouping(country, category, band) WHEN 3 THEN 'flag' WHEN 5 THEN 'category' WHEN 6 THEN 'age' ELSE 'all' END AS by_what,
       coalesce(country, category, '') AS value, coalesce(flag, '') AS flag, coalesce(band, -1)::INTEGER AS band,
       count(*) FILTER (is_vessel) AS vessels, count(*) FILTER (NOT is_vessel) AS things
FROM   fleet
GROUP BY GROUPING SETS ((country, flag), (category), (band), ())
ORDER BY by_what, vessels DESC, value, band;
