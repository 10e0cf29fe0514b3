-- merged: one observation for each repeated vessel: of every column the latest value that is not
-- null. The evidence is the latest row. A column that depends on another comes from a row that
-- has the other; one that belongs to another from a row that has no other value of that one than the latest.
-- for each: dataset
-- reads: observations_{{.Name}}
-- makes: merged_{{.Name}}
-- columns: SELECT vessel_id, last_seen AS seen_at, run_id, entry, {{range .All}}{{.Name}}, {{end}}raw, extra{{if .Searched}}, last_looked_up AS looked_up{{end}} FROM {{.Name}}
-- needs: repeated_{{.Name}}
CREATE OR REPLACE TEMP TABLE merged_{{.Name}} AS
SELECT n.vessel_id,
       max(n.seen_at) AS seen_at,
       last(n.run_id ORDER BY {{$.Order}}) AS run_id,
       last(n.entry ORDER BY {{$.Order}}) AS entry,
{{- range .All}}
{{- if .Of}}
       last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Name}} IS NOT NULL AND coalesce(n.{{.Of}}, n.latest_{{.Of}}) IS NOT DISTINCT FROM n.latest_{{.Of}}) AS {{.Name}},
{{- else if .Leader}}
       coalesce(last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Leader}} IS NOT NULL),
                last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Name}} IS NOT NULL)) AS {{.Name}},
{{- else}}
       last(n.{{.Name}} ORDER BY {{$.Order}}) FILTER (n.{{.Name}} IS NOT NULL) AS {{.Name}},
{{- end}}
{{- end}}
       last(n.raw ORDER BY {{$.Order}}) AS raw,
       last(n.extra ORDER BY {{$.Order}}) AS extra{{if .Searched}},
       max(n.looked_up) AS looked_up{{end}}
FROM   {{if .Owners}}(SELECT n.*{{range .Owners}}, last_value(n.{{.}} IGNORE NULLS) OVER whole AS latest_{{.}}{{end}} FROM observations_{{.Name}} AS n
        WINDOW whole AS (PARTITION BY n.vessel_id ORDER BY {{.Order}} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)){{else}}observations_{{.Name}}{{end}} AS n
GROUP BY n.vessel_id;
