-- fields: for a table with keys, the numbers of rows that only one file has and of rows with
-- different values, and for each field how many rows differ and the first example. Rows with the
-- same keys are distinguished by their place in the order of all values.
WITH a AS (SELECT *, row_number() OVER (PARTITION BY {{.KeyList}} ORDER BY {{.List}}) AS place FROM before.{{.Name}}),
     b AS (SELECT *, row_number() OVER (PARTITION BY {{.KeyList}} ORDER BY {{.List}}) AS place FROM after.{{.Name}})
SELECT count(*) FILTER (b.place IS NULL),
       count(*) FILTER (a.place IS NULL),
       count(*) FILTER (a.place = b.place AND (false{{range .Fields}} OR a.{{.}} IS DISTINCT FROM b.{{.}}{{end}})),
       list_value({{range $i, $c := .Fields}}{{if $i}}, {{end}}count(*) FILTER (a.place = b.place AND a.{{$c}} IS DISTINCT FROM b.{{$c}}){{end}})::BIGINT[]::VARCHAR,
       {{if .Fields}}{{range $i, $c := .Fields}}{{if $i}} || chr(31) || {{end}}coalesce(min(concat_ws(' ', {{range $j, $k := $.Keys}}{{if $j}}, {{end}}a.{{$k}}{{end}}) || ': ' || coalesce(left(a.{{$c}}::VARCHAR, 60), 'null') || ' -> ' || coalesce(left(b.{{$c}}::VARCHAR, 60), 'null'))
           FILTER (a.place = b.place AND a.{{$c}} IS DISTINCT FROM b.{{$c}}), ''){{end}}{{else}}''{{end}}
FROM   a FULL JOIN b ON a.place = b.place{{range .Keys}} AND a.{{.}} IS NOT DISTINCT FROM b.{{.}}{{end}};
