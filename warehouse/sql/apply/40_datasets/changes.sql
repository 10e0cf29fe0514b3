-- changes: the fields in which the next version differs. A value that the last observation of
-- the old version left out was last observed before that.
-- for each: dataset with changes
-- reads: changed_{{.Name}}
-- adds to: changes
-- needs: changed_{{.Name}}
INSERT INTO changes BY NAME
SELECT vessel_id, '{{.Name}}' AS dataset, c.field, c.old_value, c.new_value, coalesce((old_untold ->> c.field)::TIMESTAMPTZ, seen_before) AS seen_before, seen_at AS seen_after, $date AS snapshot_date, false AS flapping, internal.respelled(c.field, c.old_value, c.new_value) AS respelled, run_id, entry
FROM (
    SELECT *, unnest([
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
        {field: '{{.Name}}', old_value: old_{{.Name}}::VARCHAR, new_value: {{.Name}}::VARCHAR}
{{- end}}
    ]) AS c
    FROM changed_{{.Name}}
    WHERE differs
)
WHERE  c.old_value IS DISTINCT FROM c.new_value
ORDER BY vessel_id, c.field;
