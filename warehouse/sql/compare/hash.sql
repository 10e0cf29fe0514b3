-- hash: how many rows a table has, and what they say, whatever their order. A row that is
-- there twice counts twice.
SELECT count(*), printf('%032x', coalesce(sum(md5_number_lower(to_json(t)::VARCHAR)), 0))
FROM   (SELECT {{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}} FROM {{.File}}.{{.Name}}) AS t;
