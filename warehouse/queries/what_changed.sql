-- What changed in a week, by field.
-- Changes that a single observation had, and that may be noise, are doubtful. First values are no changes. A week with
-- nights that are not whole has fewer: see nights.
-- param night (night): the last night of the week, such as 2026-11-20; the last of all if not given
WITH n AS (SELECT coalesce(getvariable('night')::DATE, (SELECT max(snapshot_date) FROM runs)) AS night)
SELECT dataset, field, count(*) FILTER (NOT flapping) AS changes, count(*) FILTER (flapping) AS doubtful, count(DISTINCT vessel_id) AS vessels,
       min(old_value || ' > ' || new_value) AS example
FROM   changes_between((SELECT night - 6 FROM n), (SELECT night + 1 FROM n))
WHERE  old_value IS NOT NULL
GROUP BY dataset, field
ORDER BY changes DESC, dataset, field;
