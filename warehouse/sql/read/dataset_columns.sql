-- dataset_columns: the columns of some tables that have observed values. The columns that are left out say when a version
-- was observed, and in which answer. To list the columns of all tables would take three times as long.
SELECT table_name, name
FROM (
{{- range $i, $d := .}}
    {{if $i}}UNION ALL {{end}}SELECT '{{$d.Name}}' AS table_name, {{$i}} AS place, cid, name FROM pragma_table_info('{{$d.Name}}')
{{- end}}
)
WHERE  name NOT IN ('vessel_id', 'vessel_number', 'snapshot_date', 'valid_from', 'valid_to', 'closed_date', 'first_seen', 'last_seen', 'known_since', 'doubtful', 'first_looked_up', 'last_looked_up',
                    'run_id', 'entry', 'raw', 'extra', 'fingerprint', 'untold')
ORDER BY place, cid;
