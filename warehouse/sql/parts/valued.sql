-- valued: tonight's rows of a dataset that have a value of it. Those without one only say who the vessel is,
-- and are no observation of the dataset.
{{define "valued"}}(FROM night_{{.Name}}{{if ne .Name "registration"}} WHERE {{range $i, $c := .Columns}}{{if $i}} OR {{end}}{{$c.Name}} IS NOT NULL{{end}}{{end}}){{end}}
