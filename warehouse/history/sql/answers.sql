-- answers: the requests of some answers, which run and entry identify. The entries are numbers and
-- exclude nearly all rows before any text is compared.
WITH wanted AS MATERIALIZED (
    SELECT DISTINCT unnest($1::VARCHAR[]) AS run_id, unnest($2::VARCHAR[])::INTEGER AS entry
), near AS MATERIALIZED (
    SELECT q.run_id, q.entry, q.operation, q.parameters, q.credits FROM requests AS q SEMI JOIN wanted AS t ON t.entry = q.entry
)
SELECT n.run_id, n.entry, n.operation, coalesce(n.parameters, ''), n.credits FROM near AS n SEMI JOIN wanted AS t ON t.run_id = n.run_id AND t.entry = n.entry;
