-- withdrawn: the countries and types that the service accepts no more tonight, so that nothing can be asked of them,
-- each with the name that registrations have.
-- reads: countries, lake_coverage, vessel_types
-- makes: withdrawn
-- columns: kind VARCHAR, value VARCHAR, name VARCHAR
-- needs: lake_coverage WHERE state = 'skipped'
CREATE OR REPLACE TEMP TABLE withdrawn AS
SELECT c.kind, lower(trim(c.value)) AS value, any_value(coalesce(n.name, t.name)) AS name
FROM   lake_coverage AS c
LEFT JOIN countries AS n ON c.kind = 'country' AND lower(trim(n.spelling)) = lower(trim(c.value))
LEFT JOIN vessel_types AS t ON c.kind = 'type' AND lower(trim(t.spelling)) = lower(trim(c.value))
WHERE  c.kind IN ('country', 'type')
GROUP BY c.kind, lower(trim(c.value))
HAVING bool_and(c.state = 'skipped') AND arg_max(c.reason, c.run_id) = 'no longer accepted';
