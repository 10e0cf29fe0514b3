-- night: tonight's rows of a lake table, each under the vessel that it belongs to.
CREATE OR REPLACE TEMP VIEW night_{{.}} AS
SELECT l.* REPLACE (coalesce(h.vessel_id, l.vessel_id) AS vessel_id)
FROM   lake_{{.}} AS l
LEFT JOIN mmsi_holder AS h ON h.mmsi_id = l.vessel_id;
