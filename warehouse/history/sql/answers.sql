-- answers: the requests of some entries, run by run. The id of a run begins with its time: DuckDB skips the parts
-- of the table that other runs have, which it does neither for a join nor for a list of runs.
{{range $i, $r := .}}{{if $i}}
UNION ALL
{{end}}SELECT run_id, entry, operation, coalesce(parameters, ''), credits FROM requests WHERE run_id = {{$r.Parameter}} AND entry IN ({{$r.Entries}}){{end}};
