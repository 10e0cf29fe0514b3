-- resolved: the tables with a vessel_id, each row under the id that the vessel has now. vessel_id_then is the id that the
-- row was stored under: of a vessel that had shown no IMO number yet it is that of its MMSI.
--
-- renumbered_by: a row of an id belongs to the vessel that the id stood for at the row's time, an instant or a night.
{{- define "renumbered_by"}}
LEFT JOIN (SELECT alias_id, vessel_id, {{.since}}, coalesce(lag({{.since}}) OVER (PARTITION BY alias_id ORDER BY since), '-infinity') AS since_before FROM vessel_aliases) AS a
       ON a.alias_id = e.vessel_id AND e.{{.at}} {{.until}} a.{{.since}} AND e.{{.at}} {{.from}} a.since_before
{{- end}}
{{- define "resolved"}}
CREATE OR REPLACE VIEW {{.view}} AS
SELECT coalesce(a.vessel_id, e.vessel_id) AS vessel_id, e.vessel_id AS vessel_id_then{{range fields .columns}}, e.{{.}}{{end}}
FROM   {{.table}} AS e
{{- template "renumbered_by" .}};
COMMENT ON VIEW {{.view}} IS 'The rows of {{.table}}, each under the id that the vessel has now, so that they join vessels: those from before it showed its IMO number have that one, too.{{.more}}';
COMMENT ON COLUMN {{.view}}.vessel_id IS 'As in vessels: the id that the vessel has now.';
COMMENT ON COLUMN {{.view}}.vessel_id_then IS 'The id in {{.table}}: that of the MMSI for what was seen before the vessel showed its IMO number.';
{{- $view := .view}}{{$table := .table}}
{{- range fields .columns}}
COMMENT ON COLUMN {{$view}}.{{.}} IS 'As in {{$table}}.';
{{- end}}
{{- end}}
{{- template "resolved" dict "view" "vessel_registration" "table" "registration" "at" "valid_from" "until" "<" "from" ">=" "since" "since" "more" " The last version of the MMSI may be open beside that of the IMO number: the current one has vessel_id_then = vessel_id."
    "columns" "imo mmsi name callsign flag country register ship_type vessel_type category is_vessel source snapshot_date valid_from valid_to first_seen last_seen run_id entry"}}
{{- template "resolved" dict "view" "vessel_particulars" "table" "particulars" "at" "valid_from" "until" "<" "from" ">=" "since" "since" "more" " The last version of the MMSI may be open beside that of the IMO number: the current one has vessel_id_then = vessel_id."
    "columns" "eni length_m beam_m deadweight_t gross_tonnage net_tonnage teu year_built hull builder material place_of_build ballast_water_m3 fresh_water_m3 crude_oil_m3 gas_m3 grain_m3 bale_m3 operation updated_at snapshot_date valid_from valid_to first_seen last_seen run_id entry"}}
{{- template "resolved" dict "view" "vessel_engine" "table" "engine" "at" "valid_from" "until" "<" "from" ">=" "since" "since" "more" " The last version of the MMSI may be open beside that of the IMO number: the current one has vessel_id_then = vessel_id."
    "columns" "fuel_type propeller engine_type engine_builder engine_power_kw snapshot_date valid_from valid_to first_seen last_seen run_id entry"}}
{{- template "resolved" dict "view" "vessel_management" "table" "management" "at" "valid_from" "until" "<" "from" ">=" "since" "since" "more" " The last version of the MMSI may be open beside that of the IMO number: the current one has vessel_id_then = vessel_id."
    "columns" "manager manager_email manager_address manager_website registered_owner registered_owner_email registered_owner_address registered_owner_website ism ism_email ism_address ism_website ism_web class_society p_and_i snapshot_date valid_from valid_to first_seen last_seen run_id entry"}}
{{- template "resolved" dict "view" "vessel_voyages" "table" "voyages" "at" "valid_from" "until" "<" "from" ">=" "since" "since" "more" " The last version of the MMSI may be open beside that of the IMO number: the current one has vessel_id_then = vessel_id."
    "columns" "destination locode eta last_port last_port_locode departed_at draught_m max_draught_m navigational_status world_zone laden for_order operation updated_at snapshot_date valid_from valid_to first_seen last_seen first_looked_up last_looked_up run_id entry"}}
{{- template "resolved" dict "view" "vessel_changes" "table" "changes" "at" "seen_after" "until" "<=" "from" ">" "since" "since" "more" " What the IMO number knew first is among them beside the changes of the MMSI: confirmed_changes has each change once."
    "columns" "dataset field old_value new_value seen_before seen_after snapshot_date flapping respelled run_id entry"}}
{{- template "resolved" dict "view" "vessel_listed" "table" "listed" "at" "from_date" "until" "<" "from" ">=" "since" "snapshot_date" "more" ""
    "columns" "from_date to_date last_date missing_since absent_on proof run_id"}}
{{- template "resolved" dict "view" "vessel_positions" "table" "positions" "at" "seen_at" "until" "<" "from" ">=" "since" "since" "more" ""
    "columns" "position_at seen_at latitude longitude speed_kn course_deg heading_deg draught_m max_draught_m navigational_status destination destination_unlocode eta last_port last_port_unlocode departed_at data_source position_at_from operation run_id entry"}}
{{- template "resolved" dict "view" "vessel_issues" "table" "issues" "at" "snapshot_date" "until" "<=" "from" ">" "since" "snapshot_date" "more" ""
    "columns" "dataset field raw_value reason snapshot_date run_id entry"}}
{{- template "resolved" dict "view" "vessel_conflicts" "table" "identity_conflicts" "at" "snapshot_date" "until" "<=" "from" ">" "since" "snapshot_date" "more" ""
    "columns" "dataset field raw_value reason snapshot_date last_date run_id entry"}}
