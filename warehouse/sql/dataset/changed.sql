-- changed: what the others read like now. A null says nothing: it keeps the value that was
-- known, because an answer leaves out what it does not know and no answer says that a value
-- is no more. A column that depends on another is kept with it.
CREATE OR REPLACE TEMP TABLE changed_{{.Name}} AS
WITH now AS (
    SELECT c.rid, t.vessel_id, t.seen_at, t.run_id, t.entry, t.raw, t.extra, t.fingerprint,
{{- range $i, $c := .All}}
{{- if .Leader}}
           CASE WHEN t.{{.Leader}} IS NULL AND h.{{.Leader}} IS NOT NULL THEN h.{{.Name}} ELSE coalesce(t.{{.Name}}, h.{{.Name}}) END AS {{.Name}},
{{- else}}
           coalesce(t.{{.Name}}, h.{{.Name}}) AS {{.Name}},
{{- end}}
{{- end}}
           {{range $i, $c := .Columns}}{{if $i}}, {{end}}h.{{.Name}} AS old_{{.Name}}{{end}}
    FROM   (FROM compared_{{.Name}} WHERE NOT same) AS c
    JOIN   tonight_{{.Name}} AS t ON t.vessel_id = c.vessel_id
    JOIN   {{.Name}} AS h ON h.rowid = c.rid
)
SELECT * EXCLUDE ({{range $i, $c := .Columns}}{{if $i}}, {{end}}old_{{.Name}}{{end}}),
       {{range $i, $c := .Columns}}{{if $i}} OR {{end}}{{.Name}} IS DISTINCT FROM old_{{.Name}}{{end}} AS differs
FROM   now
ORDER BY rid;
