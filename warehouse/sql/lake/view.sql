-- view: a lake table's files of a night as lake_<table>; without files, a table without rows.
CREATE OR REPLACE TEMP VIEW lake_{{.Table}} AS
SELECT
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
       {{if not $.Paths}}NULL::{{.Type}} AS {{end}}{{.Name}}
{{- end}}
FROM   {{if .Paths}}read_parquet([{{range $i, $p := .Paths}}{{if $i}}, {{end}}{{$p}}{{end}}], hive_partitioning = false){{else}}(SELECT 1) WHERE false{{end}};
