-- versions_open: the next version of a vessel.
-- for each: dataset
-- reads: changed_{{.Name}}
-- adds to: {{.Name}}
-- needs: changed_{{.Name}}
-- after: versions_close
INSERT INTO {{.Name}} BY NAME
SELECT vessel_id, internal.number_of(vessel_id) AS vessel_number, {{range .All}}{{.Name}}, {{end}}$date AS snapshot_date, seen_at AS valid_from, seen_at AS first_seen, seen_at AS last_seen, run_id, entry, raw, extra, fingerprint, untold{{if eq .Name "registration"}}, known_since{{end}}{{if .Searched}}, coalesce(looked_up, last_looked_up) AS first_looked_up, coalesce(looked_up, last_looked_up) AS last_looked_up{{end}}
FROM   changed_{{.Name}}
WHERE  differs;
