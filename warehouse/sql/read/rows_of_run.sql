-- rows_of_run: how many rows of some tables came from a run, in one statement.
{{range $i, $table := .}}{{if $i}}
UNION ALL
{{end}}SELECT '{{$table}}' AS name, count(*) AS row_count FROM {{$table}} WHERE run_id = $1{{end}};
