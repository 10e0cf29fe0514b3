-- versions_new: the first version of a vessel.
INSERT INTO {{.Name}} BY NAME
SELECT t.vessel_id, internal.number_of(t.vessel_id) AS vessel_number, {{range .All}}t.{{.Name}}, {{end}}$date AS snapshot_date, t.seen_at AS valid_from, t.seen_at AS first_seen, t.seen_at AS last_seen, t.run_id, t.entry, t.raw, t.extra, t.fingerprint{{if eq .Name "registration"}}, t.seen_at AS known_since{{end}}
FROM   tonight_{{.Name}} AS t
ANTI JOIN (SELECT vessel_id FROM {{.Name}} WHERE valid_to IS NULL UNION ALL SELECT vessel_id FROM linked_{{.Name}}) AS h ON h.vessel_id = t.vessel_id;
