-- row_counts: how many rows each of some tables has, in one statement: a statement for each would take
-- three times as long.
{{range $i, $table := .}}{{if $i}}
UNION ALL
{{end}}SELECT '{{$table}}' AS name, count(*) AS row_count FROM {{$table}}{{end}};
