-- vessels: write the fleet to a Parquet file, under field ids that never change, with its night. A column
-- with more values in a row group than the limit, such as a name, gets no dictionary: to try one takes a
-- tenth of the time.
COPY (
    SELECT DATE {{.Date}} AS snapshot_date{{range .Columns}}, {{.Name}}{{end}}
    FROM   vessels
    ORDER BY vessel_id
) TO {{.Path}} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, DICTIONARY_SIZE_LIMIT 4096, ROW_GROUP_SIZE 40960, KV_METADATA { {{- range $i, $n := .Notes}}{{if $i}}, {{end}}{{$n}}{{end -}} }, FIELD_IDS {snapshot_date: {{.DateID}}{{range .Columns}}, {{.Name}}: {{.ID}}{{end}} });
