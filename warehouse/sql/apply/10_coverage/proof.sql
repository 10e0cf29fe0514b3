-- proof: whether tonight's list misses the vessels on none of its pages: it does if every country that the
-- service accepts was covered, or every type. A country without vessels may be a silent fault. It counts here,
-- because a vessel that the list misses is only gone when another night misses her, too. A value that the
-- service accepts no more is no part of the list.
-- reads: countries, lake_coverage, partitions, vessel_types, withdrawn
-- makes: proof
-- columns: kind VARCHAR, complete BOOLEAN, proven BOOLEAN
-- needs: lake_coverage
-- after: partitions
CREATE OR REPLACE TEMP TABLE proof AS
-- accepted: the values that the program knows, and new ones that the service has accepted since
WITH accepted AS (
    SELECT 'country' AS kind, lower(trim(spelling)) AS value FROM countries WHERE source <> 'answers'
    UNION
    SELECT 'type', lower(trim(spelling)) FROM vessel_types WHERE source <> 'answers'
    UNION
    SELECT kind, lower(trim(value)) FROM lake_coverage WHERE kind IN ('country', 'type')
)
SELECT a.kind, coalesce(bool_and(coalesce(p.covered_on = $date, false)) FILTER (w.value IS NULL), false) AS complete,
       coalesce(bool_and(coalesce(p.proven_on = $date, false)) FILTER (w.value IS NULL), false) AS proven
FROM   accepted AS a
LEFT JOIN partitions AS p ON p.kind = a.kind AND p.value = a.value
LEFT JOIN withdrawn AS w ON w.kind = a.kind AND w.value = a.value
GROUP BY a.kind;
