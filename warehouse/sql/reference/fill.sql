-- fill: the rows of a reference table, a parameter for each column. An empty cell is null.
INSERT INTO {{.Table}} BY NAME
SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}nullif(unnest(${{.Parameter}}::VARCHAR[]), '') AS {{.Name}}{{end}};
