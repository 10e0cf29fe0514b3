-- changed: the values of the other vessels after tonight. A null keeps the known value,
-- because an answer leaves out what the service does not know, and never says that a value is
-- gone; untold stores when the value was last observed. A column that depends on another takes its
-- value from the same observation as that one; one that belongs to another ends with a new value of that one.
-- for each: dataset
-- reads: compared_{{.Name}}, {{.Name}}
-- makes: changed_{{.Name}}
-- needs: compared_{{.Name}} WHERE NOT same AND rid IS NOT NULL
CREATE OR REPLACE TEMP TABLE changed_{{.Name}} AS
-- now: each vessel's values after tonight beside those of its open version
WITH now AS (
    SELECT c.rid, t.vessel_id, t.seen_at, t.run_id, t.entry, t.raw, t.extra, t.fingerprint, {{if .Searched}}t.looked_up, h.last_looked_up, {{end}}h.last_seen AS seen_before, h.untold AS old_untold,
{{- if eq .Name "registration"}}
           h.known_since,
{{- end}}
{{- range $i, $c := .All}}
{{- if .Of}}
           CASE WHEN t.{{.Name}} IS NULL AND {{template "belongs" .Of}} THEN h.{{.Name}} ELSE t.{{.Name}} END AS {{.Name}},
{{- else if .Leader}}
           CASE WHEN t.{{.Leader}} IS NULL AND h.{{.Leader}} IS NOT NULL THEN h.{{.Name}} ELSE coalesce(t.{{.Name}}, h.{{.Name}}) END AS {{.Name}},
{{- else}}
           coalesce(t.{{.Name}}, h.{{.Name}}) AS {{.Name}},
{{- end}}
{{- end}}
           to_json(map_from_entries(list_filter([
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
               {k: '{{.Name}}', v: CASE WHEN t.{{.Name}} IS NULL AND h.{{.Name}} IS NOT NULL{{if .Of}} AND {{template "belongs" .Of}}{{end}} THEN coalesce(h.untold ->> '{{.Name}}', h.last_seen::VARCHAR) END}
{{- end}}
           ], lambda x: x.v IS NOT NULL)))::VARCHAR AS untold,
           {{range $i, $c := .Columns}}{{if $i}}, {{end}}h.{{.Name}} AS old_{{.Name}}{{end}}
    FROM   (SELECT rid, unnest(observation) AS t FROM compared_{{.Name}} WHERE NOT same AND rid IS NOT NULL) AS c
    JOIN   {{.Name}} AS h ON h.rowid = c.rid
)
SELECT * REPLACE (nullif(untold, '{}') AS untold),
       {{range $i, $c := .Columns}}{{if $i}} OR {{end}}{{.Name}} IS DISTINCT FROM old_{{.Name}}{{end}} AS differs
FROM   now
ORDER BY rid;
