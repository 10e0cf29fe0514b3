-- proven_countries: the countries of which tonight covered every spelling that is accepted.
-- reads: countries, partitions, proof, withdrawn
-- makes: proven_countries
-- columns: country VARCHAR
-- needs: lake_coverage
-- after: partitions
CREATE OR REPLACE TEMP TABLE proven_countries AS
SELECT a.name AS country
FROM   countries AS a
LEFT JOIN partitions AS p ON p.kind = 'country' AND p.value = lower(trim(a.spelling))
LEFT JOIN withdrawn AS w ON w.kind = 'country' AND w.value = lower(trim(a.spelling))
GROUP BY a.name
HAVING bool_and(coalesce(p.proven_on = $date, false)) FILTER (w.value IS NULL) OR (SELECT bool_or(proven) FROM proof);
