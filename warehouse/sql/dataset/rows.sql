-- rows: the vessels of which tonight has several observations{{if eq .Name "registration"}}, or shows a second MMSI{{end}}. Few do, and only theirs
-- are sorted out.
CREATE OR REPLACE TEMP TABLE rows_{{.Name}} AS
SELECT vessel_id FROM night_{{.Name}} GROUP BY vessel_id HAVING count(*) > 1
{{- if eq .Name "registration"}}
UNION
SELECT n.vessel_id FROM night_registration AS n SEMI JOIN (SELECT vessel_id, mmsi FROM second_mmsi_claims WHERE until IS NULL) AS c ON c.vessel_id = n.vessel_id AND c.mmsi = n.mmsi
{{- end}};
