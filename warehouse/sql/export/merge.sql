-- merge: write the rows of several lake files to one Parquet file, sorted, under their field ids. A
-- column that a file does not have is null. The night is also in the path of each file, and files of
-- earlier programs have it only there.
COPY (
    SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{if .Night}}coalesce("{{.Name}}", regexp_extract(filename, '(?:night|snapshot_date)=([0-9-]{10})', 1)::DATE) AS {{end}}"{{.Name}}"{{end}}
    FROM (
        SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}NULL::{{.Type}} AS "{{.Name}}"{{end}} WHERE false
        UNION ALL BY NAME
        SELECT * FROM read_parquet([{{range $i, $p := .Paths}}{{if $i}}, {{end}}{{$p}}{{end}}], union_by_name = true, hive_partitioning = false, filename = true)
    )
    ORDER BY {{range $i, $name := .Sort}}{{if $i}}, {{end}}"{{$name}}"{{end}}
) TO {{.Path}} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880, FIELD_IDS { {{- range $i, $c := .Columns}}{{if $i}}, {{end}}"{{.Name}}": {{.ID}}{{end -}} });
