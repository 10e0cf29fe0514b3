-- view: the answers of one raw operation, a row for each, or for each element of the list that the configuration names.
CREATE OR REPLACE VIEW {{.View}} AS
SELECT r.vessel_id, r.asked, r.seen_at, r.body, r.snapshot_date, r.run_id, r.entry
{{- $from := .From}}
{{- range .Columns}},
       TRY_CAST({{$from}} ->> {{.Quoted}} AS {{.Type}}) AS {{.Name}}
{{- end}}
FROM   raw_answers AS r
{{- if .Rows}},
       unnest(json_extract(r.body, {{.List}} || '[*]')) AS u(element)
{{- end}}
WHERE  r.operation = {{.Operation}};
COMMENT ON VIEW {{.View}} IS {{.About}};
COMMENT ON COLUMN {{.View}}.vessel_id IS 'The vessel that was asked about, under the id of then; NULL if the question names none, or several.';
COMMENT ON COLUMN {{.View}}.asked IS 'The parameters of the request, a JSON object.';
COMMENT ON COLUMN {{.View}}.seen_at IS 'When the answer was received.';
COMMENT ON COLUMN {{.View}}.body IS 'The whole answer, JSON: (body ->> ''$.member'') reads a member.';
COMMENT ON COLUMN {{.View}}.snapshot_date IS 'The night of the run.';
COMMENT ON COLUMN {{.View}}.run_id IS 'The run that asked.';
COMMENT ON COLUMN {{.View}}.entry IS 'The answer, by its number in the journal of the run.';
{{- $view := .View}}
{{- range .Columns}}
COMMENT ON COLUMN {{$view}}.{{.Name}} IS {{.About}};
{{- end}}
