-- observations: tonight's observations of the repeated vessels.{{if eq .Name "registration"}} An entry with a second MMSI
-- has no say in the columns that depend on the MMSI: call sign, flag and country.{{end}}
CREATE OR REPLACE TEMP TABLE observations_{{.Name}} AS
{{- if eq .Name "registration"}}
SELECT n.* REPLACE (CASE WHEN k.mmsi IS NULL THEN n.mmsi END AS mmsi, CASE WHEN k.mmsi IS NULL THEN n.callsign END AS callsign, CASE WHEN k.mmsi IS NULL THEN n.flag END AS flag,
                    CASE WHEN k.mmsi IS NULL THEN n.country END AS country, CASE WHEN k.mmsi IS NULL THEN n.register END AS register, CASE WHEN k.mmsi IS NULL THEN n.country_iso END AS country_iso),
       k.mmsi IS NOT NULL AS second
FROM   night_registration AS n
SEMI JOIN repeated_registration AS t ON t.vessel_id = n.vessel_id
LEFT JOIN (FROM second_mmsis WHERE second) AS k ON k.vessel_id = n.vessel_id AND k.mmsi = n.mmsi;
{{- else}}
SELECT n.* FROM {{template "valued" .}} AS n SEMI JOIN repeated_{{.Name}} AS t ON t.vessel_id = n.vessel_id;
{{- end}}
