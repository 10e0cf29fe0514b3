-- What changed in the last seven days, by field.
-- changes_between(a, b) are the changes that were first seen from a on and before b. Those that may be
-- noise are counted apart.
SELECT dataset, field, count(*) FILTER (NOT flapping) AS changes, count(*) FILTER (flapping) AS doubtful, count(DISTINCT vessel_id) AS vessels,
       any_value(old_value || ' > ' || new_value) AS example
FROM   changes_between((SELECT max(finished_at) - INTERVAL 7 DAY FROM runs), (SELECT max(finished_at) + INTERVAL 1 SECOND FROM runs))
WHERE  old_value IS NOT NULL
GROUP BY ALL
ORDER BY changes DESC, dataset, field;
