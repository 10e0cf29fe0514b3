-- versions_close: the version ends where the next is first observed.
UPDATE {{.Name}} SET valid_to = c.seen_at, closed_date = $date FROM (FROM changed_{{.Name}} WHERE differs) AS c WHERE {{.Name}}.rowid = c.rid;
