-- told: the same version, told in other words or with other gaps.
UPDATE {{.Name}} SET last_seen = c.seen_at, fingerprint = c.fingerprint, untold = c.untold FROM (FROM changed_{{.Name}} WHERE NOT differs) AS c WHERE {{.Name}}.rowid = c.rid;
