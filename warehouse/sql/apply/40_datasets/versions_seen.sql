-- versions_seen: the same version, seen again.
UPDATE {{.Name}} SET last_seen = c.seen_at FROM (FROM compared_{{.Name}} WHERE same) AS c WHERE {{.Name}}.rowid = c.rid;
