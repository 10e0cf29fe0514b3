-- issues: how many issues some runs have, by dataset, field and reason.
SELECT run_id, coalesce(dataset, ''), coalesce(field, ''), coalesce(reason, ''), count(*)
FROM   issues
WHERE  run_id IN (SELECT unnest($1::VARCHAR[]))
GROUP BY ALL
ORDER BY ALL;
