-- answers: what was asked to get some answers, named by run and entry.
SELECT q.run_id, q.entry, q.operation, coalesce(q.parameters, '')
FROM   requests AS q
JOIN   (SELECT DISTINCT unnest($1::VARCHAR[]) AS run_id, unnest($2::VARCHAR[])::INTEGER AS entry) AS a ON a.run_id = q.run_id AND a.entry = q.entry;
