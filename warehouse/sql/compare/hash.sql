-- hash: the number of rows of a table, and a hash of their values that does not depend on their
-- order. A row that occurs twice counts twice.
SELECT count(*), printf('%032x', coalesce(sum(md5_number_lower(to_json(t)::VARCHAR)), 0))
FROM   (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM {{.File}}.{{.Name}}) AS t;
