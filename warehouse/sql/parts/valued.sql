-- valued: tonight's rows of a dataset that have a value of it. Those without one only say who the vessel is,
-- and are no observation of the dataset.
{{define "valued"}}(FROM {{template "observed" .}}{{if ne .Name "registration"}} WHERE {{range $i, $c := .Columns}}{{if $i}} OR {{end}}{{$c.Name}} IS NOT NULL{{end}}{{end}}){{end}}

-- observed: the table of what tonight says of a dataset.
{{define "observed"}}{{if .Searched}}{{.Name}}_observed{{else}}night_{{.Name}}{{end}}{{end}}
