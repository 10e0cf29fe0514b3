-- versions_new: the first version of a vessel.
-- for each: dataset
-- reads: {{if .Empty}}tonight_{{.Name}}{{else}}compared_{{.Name}}{{end}}
-- adds to: {{.Name}}
-- needs: {{if .Empty}}tonight_{{.Name}}{{else}}compared_{{.Name}} WHERE rid IS NULL{{end}}
-- after: versions_open
INSERT INTO {{.Name}} BY NAME
SELECT t.vessel_id, internal.number_of(t.vessel_id) AS vessel_number, {{range .All}}t.{{.Name}}, {{end}}$date AS snapshot_date, t.seen_at AS valid_from, t.seen_at AS first_seen, t.seen_at AS last_seen, t.run_id, t.entry, t.raw, t.extra, t.fingerprint{{if eq .Name "registration"}}, t.seen_at AS known_since{{end}}{{if .Searched}}, t.looked_up AS first_looked_up, t.looked_up AS last_looked_up{{end}}
FROM   {{if .Empty}}tonight_{{.Name}} AS t{{else}}(SELECT unnest(observation) AS t FROM compared_{{.Name}} WHERE rid IS NULL){{end}};
