-- versions: the versions of one vessel, oldest first. The values come as one JSON object.
SELECT vessel_id, valid_from, valid_to, first_seen, last_seen, coalesce(run_id, ''), coalesce(entry, -1),
       to_json({ {{- range $i, $c := .All}}{{if $i}}, {{end}}{{$c.Name}}: {{$c.Name}}{{end -}} })::VARCHAR
FROM   {{.Name}}
WHERE  vessel_number = $1 AND vessel_id = $2
ORDER BY valid_from, valid_to NULLS LAST;
