-- rows: of a table without keys, the rows that one file has and the other lacks.
SELECT (SELECT count(*) FROM (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM before.{{.Name}} EXCEPT ALL
                              SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM after.{{.Name}})),
       (SELECT count(*) FROM (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM after.{{.Name}} EXCEPT ALL
                              SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM before.{{.Name}}));
