-- changes_within_night: changes to and from a value that an answer of tonight gave and another of
-- tonight replaced: one that is neither the value before the night nor the one after it, or one
-- after which the value before returned. Both changes are marked as flapping.
-- for each: dataset with changes
-- reads: observations_{{.Name}}, repeated_{{.Name}}, {{.Name}}
-- adds to: changes
-- needs: repeated_{{.Name}}
INSERT INTO changes BY NAME
-- observed: tonight's values of the repeated vessels, a row per field, in the order of the answers
WITH observed AS (
    SELECT n.vessel_id, n.seen_at, n.run_id, n.entry, row_number() OVER (PARTITION BY n.vessel_id ORDER BY {{.Order}}) AS place, unnest([
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
               {field: '{{.Name}}', value: n.{{.Name}}::VARCHAR}
{{- end}}
           ]) AS c
    FROM   observations_{{.Name}} AS n
-- before: the values of their open versions, as place 0
), before AS (
    SELECT h.vessel_id, h.last_seen AS seen_at, NULL AS run_id, NULL AS entry, 0 AS place, unnest([
{{- range $i, $c := .Columns}}{{if $i}},{{end}}
               {field: '{{.Name}}', value: h.{{.Name}}::VARCHAR}
{{- end}}
           ]) AS c
    FROM   {{.Name}} AS h
    SEMI JOIN repeated_{{.Name}} AS t ON t.vessel_id = h.vessel_id
    WHERE  h.valid_to IS NULL
-- sequence: each field's values in their order, with the one before, the first and the last
), sequence AS (
    SELECT vessel_id, c.field AS field, c.value AS value, seen_at, run_id, entry, place,
           lag(c.value) OVER steps AS value_before, lag(seen_at) OVER steps AS seen_before,
           first(c.value) OVER whole AS first_value, last(c.value) OVER whole AS last_value
    FROM   (FROM before UNION ALL FROM observed)
    WHERE  c.value IS NOT NULL
    WINDOW steps AS (PARTITION BY vessel_id, c.field ORDER BY place),
           whole AS (PARTITION BY vessel_id, c.field ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
SELECT vessel_id, '{{.Name}}' AS dataset, field, value_before AS old_value, value AS new_value, seen_before, seen_at AS seen_after, $date AS snapshot_date, true AS flapping, internal.respelled(field, value_before, value) AS respelled, run_id, entry
FROM   sequence
WHERE  value <> value_before AND place > 0
  AND  (value NOT IN (first_value, last_value) OR value_before NOT IN (first_value, last_value) OR first_value = last_value)
ORDER BY vessel_id, field, place;
