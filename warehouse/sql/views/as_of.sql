-- as_of: macros and views that compute an earlier state from the intervals, with all columns of the view vessels. They
-- are part of the file, so that every reader has them.
CREATE OR REPLACE MACRO vessels_as_of(moment) AS TABLE
SELECT {{template "vessel_columns" "then"}}
FROM   {{template "own"}}, {{template "rows_at" dict "at" "moment"}} AS s
JOIN   registration AS r ON r.rowid = s.registration
LEFT JOIN particulars AS p ON p.rowid = s.particulars
LEFT JOIN engine AS e ON e.rowid = s.engine
LEFT JOIN management AS m ON m.rowid = s.management
LEFT JOIN voyages AS v ON v.rowid = s.voyages
LEFT JOIN listed AS l ON l.rowid = s.stay
WHERE  own.ok;
COMMENT ON MACRO TABLE vessels_as_of IS 'vessels_as_of(moment): one row per vessel as it was known then, with the columns of vessels. A date, also as text, is that night: the state after its last run. An instant without a zone is UTC, and listed is then of the latest night that had begun. A day after the last night has no rows. last_seen, navigational_status_at and the columns that end in _seen_at are the earliest that they can be: of what was seen again after the moment only the first sighting is kept, and counts. They are null only for what had never been seen.';

CREATE OR REPLACE MACRO fleet_on(night) AS TABLE
SELECT v.* FROM {{template "own"}} JOIN vessels_as_of({{template "night" "night"}}) AS v ON true WHERE v.listed;
COMMENT ON MACRO TABLE fleet_on IS 'fleet_on(night): the fleet of a night as it was known then: the vessels of vessels_as_of(night) that were known to be on the list, with the columns of vessels. What was learned later does not change it, with one exception: a departure counts from the first night whose list missed the vessel, although only a later night proves it, so that the newest night alone may still count vessels that have left. A vessel that was not observed that night counts as listed. A night after the last one has no rows. It works for each row of a table of nights: FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night). fleet_of has the best that is known now.';

CREATE OR REPLACE MACRO fleet_of(night) AS TABLE
SELECT {{template "vessel_columns" ""}}
FROM   {{template "own"}}, {{template "rows_at" dict "at" "night" "now" "true"}} AS s
JOIN   listed AS l ON l.rowid = s.stay
JOIN   {{template "filled" dict "dataset" "registration" "columns" "imo mmsi name callsign flag country register vessel_type category is_vessel"}} AS r ON r.version = s.registration
LEFT JOIN {{template "filled" dict "dataset" "particulars" "columns" "length_m beam_m deadweight_t gross_tonnage net_tonnage teu year_built"}} AS p ON p.version = s.particulars
LEFT JOIN {{template "filled" dict "dataset" "engine" "columns" ""}} AS e ON e.version = s.engine
LEFT JOIN {{template "filled" dict "dataset" "management" "columns" "manager registered_owner class_society"}} AS m ON m.version = s.management
LEFT JOIN voyages AS v ON v.rowid = s.voyages
WHERE  own.ok;
COMMENT ON MACRO TABLE fleet_of IS 'fleet_of(night): the fleet of a night as it is best known now, with the columns of vessels: the vessels that were on the list by what is known now, under the ids that they have now. A value is that of the night; one that was not known then is the first that was learned later, so that a sum over nights does not grow because lookups arrive. registration_seen_at, particulars_seen_at, engine_seen_at and management_seen_at say when they were last observed until now; positions, statuses and voyages are the latest up to that night. A night after the last one has no rows. It works for each row of a table of nights, as fleet_on does, which has what was known then.';

-- vessels_on_night, fleet_of_night: what vessels_as_of and fleet_of have, of every night. A view reads its own file under
-- whatever name it is attached, and a macro does not.
CREATE OR REPLACE VIEW vessels_on_night AS
SELECT s.at_night AS snapshot_date, {{template "vessel_columns" "then"}}
FROM   {{template "rows_at" dict "at" ""}} AS s
JOIN   registration AS r ON r.rowid = s.registration
LEFT JOIN particulars AS p ON p.rowid = s.particulars
LEFT JOIN engine AS e ON e.rowid = s.engine
LEFT JOIN management AS m ON m.rowid = s.management
LEFT JOIN voyages AS v ON v.rowid = s.voyages
LEFT JOIN listed AS l ON l.rowid = s.stay;
COMMENT ON VIEW vessels_on_night IS 'One row per night and vessel, as it was known after the last run of the night: vessels_as_of(night) as a view, and with listed fleet_on(night). It reads its own file under whatever name that is attached; a macro reads the file in use. A vessel that the night did not observe counts as it was known before: night_verdicts says whether all were looked for. Filter by snapshot_date: without it all nights are computed.';

CREATE OR REPLACE VIEW fleet_of_night AS
SELECT s.at_night AS snapshot_date, {{template "vessel_columns" ""}}
FROM   {{template "rows_at" dict "at" "" "now" "true"}} AS s
JOIN   listed AS l ON l.rowid = s.stay
JOIN   {{template "filled" dict "dataset" "registration" "columns" "imo mmsi name callsign flag country register vessel_type category is_vessel"}} AS r ON r.version = s.registration
LEFT JOIN {{template "filled" dict "dataset" "particulars" "columns" "length_m beam_m deadweight_t gross_tonnage net_tonnage teu year_built"}} AS p ON p.version = s.particulars
LEFT JOIN {{template "filled" dict "dataset" "engine" "columns" ""}} AS e ON e.version = s.engine
LEFT JOIN {{template "filled" dict "dataset" "management" "columns" "manager registered_owner class_society"}} AS m ON m.version = s.management
LEFT JOIN voyages AS v ON v.rowid = s.voyages;
COMMENT ON VIEW fleet_of_night IS 'One row per night and vessel of its fleet, as it is best known now: fleet_of(night) as a view. It reads its own file under whatever name that is attached; a macro reads the file in use. A vessel that the night did not observe counts as it was known before: night_verdicts says whether all were looked for. Filter by snapshot_date: without it all nights are computed.';
{{- range $view := fields "vessels_on_night fleet_of_night"}}
COMMENT ON COLUMN {{$view}}.snapshot_date IS 'The night.';
{{- range fields "vessel_id imo mmsi name callsign flag country register vessel_type category is_vessel length_m beam_m deadweight_t gross_tonnage net_tonnage teu year_built manager registered_owner class_society navigational_status navigational_status_at world_zone laden laden_at for_order for_order_at latitude longitude speed_kn course_deg position_at destination locode eta draught_m listed first_seen last_seen registration_seen_at particulars_seen_at engine_seen_at management_seen_at position_seen_at voyage_seen_at sighting_seen_at run_id"}}
COMMENT ON COLUMN {{$view}}.{{.}} IS 'As in vessels, of that night.';
{{- end}}
{{- end}}
