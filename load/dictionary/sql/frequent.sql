-- frequent: the most frequent values of some columns of a table or view, and in how many rows each is. A
-- view is computed once for all of them.
WITH t AS MATERIALIZED (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c.Quoted}}{{end}} FROM {{.From}})
{{- range $i, $c := .Columns}}
, c{{$i}} AS (SELECT {{$i}} AS place, {{$c.Quoted}}::VARCHAR AS v, count(*) AS n FROM t WHERE {{$c.Quoted}} IS NOT NULL GROUP BY {{$c.Quoted}} ORDER BY n DESC, v LIMIT {{$.Limit}})
{{- end}}
SELECT place, v, n FROM ({{range $i, $c := .Columns}}{{if $i}} UNION ALL {{end}}FROM c{{$i}}{{end}}) ORDER BY place, n DESC, v;
