-- observations: tonight's observations of the repeated vessels.{{if eq .Name "registration"}} An entry with a second MMSI
-- has no say in the columns that depend on the MMSI: call sign, flag and country. One with a flag or a type that
-- is not kept has no say in those that depend on it.{{end}}
-- for each: dataset
-- reads: {{template "observed" .}}, repeated_{{.Name}}{{if eq .Name "registration"}}, second_mmsis, contested{{end}}
-- makes: observations_{{.Name}}
-- needs: repeated_{{.Name}}
CREATE OR REPLACE TEMP TABLE observations_{{.Name}} AS
{{- if eq .Name "registration"}}
SELECT n.* REPLACE (CASE WHEN k.mmsi IS NULL THEN n.mmsi END AS mmsi, CASE WHEN k.mmsi IS NULL THEN n.callsign END AS callsign,
                    CASE WHEN k.mmsi IS NULL AND f.value IS NULL THEN n.flag END AS flag, CASE WHEN k.mmsi IS NULL AND f.value IS NULL THEN n.country END AS country,
                    CASE WHEN k.mmsi IS NULL AND f.value IS NULL THEN n.register END AS register,
                    CASE WHEN k.mmsi IS NULL AND f.value IS NULL THEN n.country_iso END AS country_iso,
                    CASE WHEN v.value IS NULL THEN n.vessel_type END AS vessel_type, CASE WHEN v.value IS NULL THEN n.category END AS category, CASE WHEN v.value IS NULL THEN n.is_vessel END AS is_vessel),
       k.mmsi IS NOT NULL AS second
FROM   night_registration AS n
SEMI JOIN repeated_registration AS t ON t.vessel_id = n.vessel_id
LEFT JOIN (FROM second_mmsis WHERE second) AS k ON k.vessel_id = n.vessel_id AND k.mmsi = n.mmsi
LEFT JOIN (FROM contested WHERE NOT kept AND field = 'flag') AS f ON f.vessel_id = n.vessel_id AND f.value = n.flag
LEFT JOIN (FROM contested WHERE NOT kept AND field = 'vessel_type') AS v ON v.vessel_id = n.vessel_id AND v.value = n.vessel_type;
{{- else}}
SELECT n.* FROM {{template "valued" .}} AS n SEMI JOIN repeated_{{.Name}} AS t ON t.vessel_id = n.vessel_id;
{{- end}}
