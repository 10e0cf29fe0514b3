-- hash: the number of rows of a table, and a hash of their values that does not depend on their
-- order. A row that occurs twice counts twice. A row's own hash is hashed once more, so that values that
-- two rows exchange change the sum.
SELECT count(*), printf('%032x', coalesce(sum(hash(hash({{range $i, $c := .Columns}}{{if $i}}, {{end}}{{$c}}{{end}}))), 0))
FROM   {{.File}}.{{.Name}};
