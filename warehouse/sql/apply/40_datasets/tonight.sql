-- tonight: one observation for each vessel. The fingerprint is the hash of the columns that make
-- a version, as observed.
-- for each: dataset
-- reads: {{template "observed" .}}, repeated_{{.Name}}, merged_{{.Name}}
-- makes: tonight_{{.Name}}
-- needs: {{template "observed" .}}
CREATE OR REPLACE TEMP VIEW tonight_{{.Name}} AS
SELECT *, hash({{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c.Name}}{{end}}) AS fingerprint
FROM (
    SELECT vessel_id, seen_at, run_id, entry, {{range .All}}{{.Name}}, {{end}}raw, extra{{if .Searched}}, looked_up{{end}}
    FROM   {{template "valued" .}}
    ANTI JOIN repeated_{{.Name}} USING (vessel_id)
    UNION ALL BY NAME
    FROM merged_{{.Name}}
);
