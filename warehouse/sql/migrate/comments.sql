-- comments: what the columns of the datasets mean.
{{- range .}}
COMMENT ON COLUMN {{.Table}}.{{.Column}} IS {{.Quoted}};
{{- end}}
