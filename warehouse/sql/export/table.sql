-- table: write a table to a Parquet file, sorted, under field ids that never change. JSON is written as
-- text, which every engine reads.
COPY (
    SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{if eq .Type "VARCHAR"}}"{{.Name}}"::VARCHAR AS {{end}}"{{.Name}}"{{end}}
    FROM   {{.Source}}
    {{- if .Sort}}
    ORDER BY {{range $i, $name := .Sort}}{{if $i}}, {{end}}"{{$name}}"{{end}}
    {{- end}}
) TO {{.Path}} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880, KV_METADATA {'fleetlake.table': '{{.Source}}'}, FIELD_IDS { {{- range $i, $c := .Columns}}{{if $i}}, {{end}}"{{.Name}}": {{.ID}}{{end -}} });
