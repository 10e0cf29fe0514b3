-- lookups: the lookups of a vessel by its numbers, by operation. A list of the two numbers would take twice as long.
WITH sent AS MATERIALIZED (
    SELECT operation, credits, sent_at, received_at, outcome, run_id, entry FROM requests WHERE vessel_number = $1
    UNION ALL
    SELECT operation, credits, sent_at, received_at, outcome, run_id, entry FROM requests WHERE vessel_number = $2 AND $2 <> $1
)
SELECT operation, count(*)::INTEGER, coalesce(sum(credits), 0)::INTEGER,
       max(sent_at), max(received_at) FILTER (outcome = 'ok'), max(sent_at) FILTER (outcome IN ('not_found', 'rejected', 'empty')),
       arg_max(outcome, sent_at), arg_max(run_id, sent_at), arg_max(entry, sent_at)
FROM   sent
GROUP BY operation
ORDER BY operation;
