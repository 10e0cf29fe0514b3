-- versions_seen: the same version, seen again.
-- for each: dataset
-- reads: compared_{{.Name}}
-- changes: {{.Name}}
-- needs: compared_{{.Name}}
UPDATE {{.Name}} SET last_seen = c.seen_at{{template "looked_up" .}} FROM (FROM compared_{{.Name}} WHERE same) AS c WHERE {{.Name}}.rowid = c.rid;
