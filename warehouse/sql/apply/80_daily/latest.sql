-- latest: store latest_known. An empty zone is that of a status that is searched for worldwide.
-- reads: latest_known
-- adds to: internal.latest
-- changes: internal.latest
-- needs: latest_known
DELETE FROM internal.latest;
INSERT INTO internal.latest BY NAME
SELECT vessel_id,
{{- range fields "latitude longitude speed_kn course_deg heading_deg draught_m max_draught_m destination destination_unlocode eta last_port last_port_unlocode departed_at"}}
       place.{{.}} AS {{.}},
{{- end}}
       place.navigational_status AS reported_status, placed.dated AS position_at, placed.seen AS place_seen_at, dated_at, position_seen_at,
       reported.status AS navigational_status, reported.dated AS navigational_status_at, status_known_at,
       nullif(world_zone, '') AS world_zone, sighting_seen_at, laden, laden_at, for_order, for_order_at
FROM   latest_known
ORDER BY vessel_id;
