-- rows: for a table without keys, how many rows only the one file has, and only the other.
SELECT (SELECT count(*) FROM (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM before.{{.Name}} EXCEPT ALL
                              SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM after.{{.Name}})),
       (SELECT count(*) FROM (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM after.{{.Name}} EXCEPT ALL
                              SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM before.{{.Name}}));
