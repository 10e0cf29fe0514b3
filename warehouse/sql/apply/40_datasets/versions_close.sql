-- versions_close: the version ends where the next is first observed.
-- for each: dataset
-- reads: changed_{{.Name}}
-- changes: {{.Name}}
-- needs: changed_{{.Name}}
-- after: versions_gaps
UPDATE {{.Name}} SET valid_to = c.seen_at, closed_date = $date FROM (FROM changed_{{.Name}} WHERE differs) AS c WHERE {{.Name}}.rowid = c.rid;
