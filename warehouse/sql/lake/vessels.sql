-- vessels: write the fleet to a Parquet file, under field ids that never change, with its night.
COPY (
    SELECT DATE {{.Date}} AS snapshot_date{{range .Columns}}, {{.Name}}{{end}}
    FROM   {{.Source}}
) TO {{.Path}} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 40960, KV_METADATA { {{- range $i, $n := .Notes}}{{if $i}}, {{end}}{{$n}}{{end -}} }, FIELD_IDS {snapshot_date: {{.DateID}}{{range .Columns}}, {{.Name}}: {{.ID}}{{end}} });
