-- night: tonight's rows of a lake table, each under the vessel that it belongs to.
-- for each: lake table
-- reads: lake_{{.Name}}, mmsi_holder, {{if .Named}}assigned{{else}}answered_as{{end}}
-- makes: night_{{.Name}}
-- needs: lake_{{.Name}}
CREATE OR REPLACE TEMP VIEW night_{{.Name}} AS
SELECT l.* REPLACE (coalesce(a.vessel_id, h.vessel_id, l.vessel_id) AS vessel_id, CASE WHEN NOT coalesce(a.slip, false) THEN l.imo END AS imo)
FROM   lake_{{.Name}} AS l
LEFT JOIN mmsi_holder AS h ON h.mmsi_id = l.vessel_id
LEFT JOIN {{if .Named}}assigned AS a ON a.number_id = l.vessel_id AND a.name = l.name{{else}}answered_as AS a ON a.number_id = l.vessel_id AND a.run_id = l.run_id AND a.entry = l.entry{{end}};
