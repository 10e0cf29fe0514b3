-- merged: one observation for each repeated vessel: of every column the latest value that is not
-- null. The evidence is the latest row. A column that depends on another comes from a row that
-- has the other.
-- for each: dataset
-- reads: observations_{{.Name}}
-- makes: merged_{{.Name}}
-- columns: SELECT vessel_id, last_seen AS seen_at, run_id, entry, {{range .All}}{{.Name}}, {{end}}raw, extra FROM {{.Name}}
-- needs: repeated_{{.Name}}
CREATE OR REPLACE TEMP TABLE merged_{{.Name}} AS
SELECT n.vessel_id,
       max(n.seen_at) AS seen_at,
       last(n.run_id ORDER BY {{$.Order}}) AS run_id,
       last(n.entry ORDER BY {{$.Order}}) AS entry,
{{- range .All}}
{{- if .Leader}}
       coalesce(last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Leader}} IS NOT NULL),
                last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Name}} IS NOT NULL)) AS {{.Name}},
{{- else}}
       last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Name}} IS NOT NULL) AS {{.Name}},
{{- end}}
{{- end}}
       last(n.raw ORDER BY {{$.Order}}) AS raw,
       last(n.extra ORDER BY {{$.Order}}) AS extra
FROM   observations_{{.Name}} AS n
GROUP BY n.vessel_id;
