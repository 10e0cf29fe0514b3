-- proven_countries: the countries of which tonight covered every spelling.
CREATE OR REPLACE TEMP TABLE proven_countries AS
SELECT a.name AS country
FROM   countries AS a
LEFT JOIN partitions AS p ON p.kind = 'country' AND p.value = lower(trim(a.spelling))
GROUP BY a.name
HAVING bool_and(coalesce(p.proven_on = $date, false)) OR (SELECT bool_or(proven) FROM proof);
