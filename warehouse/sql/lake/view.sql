-- view: a lake table's files of a night as lake_<table>; without files, a table without rows.
-- Instants become UTC timestamps without a zone.
CREATE OR REPLACE TEMP VIEW lake_{{.Table}} AS
SELECT
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
       {{if $.Paths}}{{if .Instant}}make_timestamp(epoch_us({{.Name}})) AS {{end}}{{.Name}}{{else}}NULL::{{if .Instant}}TIMESTAMP{{else}}{{.Type}}{{end}} AS {{.Name}}{{end}}
{{- end}}
FROM   {{if .Paths}}read_parquet([{{range $i, $p := .Paths}}{{if $i}}, {{end}}{{$p}}{{end}}], hive_partitioning = false){{else}}(SELECT 1) WHERE false{{end}};
