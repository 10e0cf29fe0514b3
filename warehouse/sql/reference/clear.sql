-- clear: empty a reference table, which is filled again, but for the values that answers brought.
DELETE FROM {{.Table}}{{range .Columns}}{{if eq .Name "source"}} WHERE source <> 'answers'{{end}}{{end}};
