-- versions_gaps: the same version, in an observation that lacks other columns than the last one.
-- for each: dataset
-- reads: changed_{{.Name}}
-- changes: {{.Name}}
-- needs: changed_{{.Name}}
-- after: versions_seen
UPDATE {{.Name}} SET last_seen = c.seen_at, fingerprint = c.fingerprint, untold = c.untold{{template "looked_up" .}} FROM (FROM changed_{{.Name}} WHERE NOT differs) AS c WHERE {{.Name}}.rowid = c.rid;
