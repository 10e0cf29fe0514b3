-- looked_up: of a dataset that status searches observe, too, an update keeps when a lookup observed the version.
{{define "looked_up"}}{{if .Searched}}, first_looked_up = coalesce({{.Name}}.first_looked_up, c.looked_up), last_looked_up = coalesce(c.looked_up, {{.Name}}.last_looked_up){{end}}{{end}}

-- belongs: whether tonight's value t of the column that another belongs to is the known one h, or unknown: only then the
-- known value of the other is kept.
{{define "belongs"}}(t.{{.}} IS NULL OR t.{{.}} IS NOT DISTINCT FROM h.{{.}}){{end}}
