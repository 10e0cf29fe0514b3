-- versions_carry: copy the open version of a newly linked vessel from its MMSI id to its IMO id, if no
-- answer of tonight has opened one there.
-- for each: dataset
-- reads: linked_{{.Name}}, {{.Name}}
-- adds to: {{.Name}}
-- needs: linked_{{.Name}}
-- after: versions_new{{if eq .Name "registration"}}, doubtful_versions{{end}}
INSERT INTO {{.Name}} BY NAME
SELECT h.* REPLACE (l.vessel_id AS vessel_id, internal.number_of(l.vessel_id) AS vessel_number, {{if eq .Name "registration"}}substr(l.vessel_id, 4)::INTEGER AS imo, {{end}}$date AS snapshot_date, greatest(l.since, h.last_seen + INTERVAL 1 MICROSECOND) AS valid_from)
FROM   linked_{{.Name}} AS l
JOIN   {{.Name}} AS h ON h.rowid = l.rid
WHERE  h.valid_to IS NULL
ORDER BY l.vessel_id;
