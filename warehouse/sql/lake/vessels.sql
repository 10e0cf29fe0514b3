-- vessels: write the fleet to a Parquet file, under field ids that never change. Readers are to
-- take the UTC timestamps as instants.
COPY (
    SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{if .Night}}DATE {{$.Date}} AS {{else if .Instant}}make_timestamptz(epoch_us({{.Name}})) AS {{end}}{{.Name}}{{end}}
    FROM   {{.Source}}
) TO {{.Path}} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 40960, FIELD_IDS { {{- range $i, $c := .Columns}}{{if $i}}, {{end}}{{.Name}}: {{.ID}}{{end -}} });
