-- counts: of a table or view, the number of rows and for each column how many have a value, about how
-- many values there are, and the least and the greatest of numbers, dates and instants.
SELECT count(*),
       [{{range $i, $c := .Columns}}{{if $i}}, {{end}}{known: count({{.Quoted}}), "values": approx_count_distinct({{.Quoted}}), least: {{if .Ordered}}min({{.Quoted}})::VARCHAR{{else}}NULL{{end}}, greatest: {{if .Ordered}}max({{.Quoted}})::VARCHAR{{else}}NULL{{end}} }{{end}}]::JSON::VARCHAR
FROM   {{.From}};
