-- issues: how many issues some runs met, by what they are about.
SELECT run_id, coalesce(dataset, ''), coalesce(field, ''), coalesce(reason, ''), count(*)
FROM   issues
WHERE  run_id IN (SELECT unnest($1::VARCHAR[]))
GROUP BY ALL
ORDER BY ALL;
