-- repeated: the vessels of which tonight has several observations{{if eq .Name "registration"}}, or gives a second MMSI{{end}}. They are
-- few, and only their observations are merged.
-- for each: dataset
-- reads: {{template "observed" .}}{{if eq .Name "registration"}}, second_mmsi_claims{{end}}
-- makes: repeated_{{.Name}}
-- columns: vessel_id VARCHAR
-- needs: {{template "observed" .}}
CREATE OR REPLACE TEMP TABLE repeated_{{.Name}} AS
SELECT vessel_id FROM {{template "valued" .}} GROUP BY vessel_id HAVING count(*) > 1
{{- if eq .Name "registration"}}
UNION
SELECT n.vessel_id FROM night_registration AS n SEMI JOIN (SELECT vessel_id, mmsi FROM second_mmsi_claims WHERE until IS NULL) AS c ON c.vessel_id = n.vessel_id AND c.mmsi = n.mmsi
{{- end}};
