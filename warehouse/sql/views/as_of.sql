-- as_of: macros that compute an earlier state from the intervals, with all columns of the view vessels. They
-- are part of the file, so that every reader has them.
CREATE OR REPLACE MACRO vessels_as_of(moment) AS TABLE
SELECT {{template "vessel_columns"}}
FROM   {{template "version" dict "dataset" "registration" "at" "moment"}} AS r
LEFT JOIN {{template "version" dict "dataset" "particulars" "at" "moment"}} AS p ON p.vessel_id = r.vessel_id
LEFT JOIN {{template "version" dict "dataset" "engine" "at" "moment"}} AS e ON e.vessel_id = r.vessel_id
LEFT JOIN {{template "version" dict "dataset" "management" "at" "moment"}} AS m ON m.vessel_id = r.vessel_id
LEFT JOIN {{template "movements" dict "at" "moment" "time" "seen_at"}} AS s ON s.vessel_id = r.vessel_id
LEFT JOIN {{template "stays" dict "at" "moment"}} AS l ON l.vessel_id = r.vessel_id;
COMMENT ON MACRO TABLE vessels_as_of IS 'vessels_as_of(moment): one row per vessel as it was known then, with the columns of vessels. A date, also as text, is that night: the state after its last run. An instant without a zone is UTC, and listed is then of the latest night that had begun. A day after the last night has no rows. last_seen, navigational_status_at and the columns that end in _seen_at are the earliest that they can be: of what was seen again after the moment only the first sighting is kept, and counts. They are null only for what had never been seen.';

CREATE OR REPLACE MACRO fleet_on(night) AS TABLE
FROM vessels_as_of({{template "night" "night"}}) WHERE listed;
COMMENT ON MACRO TABLE fleet_on IS 'fleet_on(night): the fleet of a night as it was known then: the vessels of vessels_as_of(night) that were known to be on the list, with the columns of vessels. What was learned later does not change it. A vessel that was not observed that night, and not proved to have left, counts as listed. A night after the last one has no rows. It works for each row of a table of nights: FROM (SELECT DISTINCT snapshot_date AS night FROM runs) AS n, fleet_on(n.night). fleet_of has the best that is known now.';

CREATE OR REPLACE MACRO fleet_of(night) AS TABLE
SELECT {{template "vessel_columns"}}
FROM (
    SELECT vessel_id, arg_min(imo, valid_from) AS imo, arg_min(mmsi, valid_from) AS mmsi, arg_min(name, valid_from) AS name, arg_min(callsign, valid_from) AS callsign,
           arg_min(flag, valid_from) AS flag, arg_min(country, valid_from) AS country, arg_min(vessel_type, valid_from) AS vessel_type,
           arg_min(category, valid_from) AS category, arg_min(is_vessel, valid_from) AS is_vessel, arg_min(run_id, valid_from) AS run_id,
           min(known_since) AS known_since, min(first_seen) AS first_seen, max(last_seen) AS last_seen
    FROM   {{template "versions_of" dict "dataset" "registration" "at" "night"}}
    GROUP BY vessel_id
) AS r
JOIN   {{template "stays_of" dict "at" "night"}} AS l ON l.vessel_id = r.vessel_id
LEFT JOIN (
    SELECT vessel_id, arg_min(length_m, valid_from) AS length_m, arg_min(beam_m, valid_from) AS beam_m, arg_min(deadweight_t, valid_from) AS deadweight_t,
           arg_min(gross_tonnage, valid_from) AS gross_tonnage, arg_min(net_tonnage, valid_from) AS net_tonnage, arg_min(teu, valid_from) AS teu,
           arg_min(year_built, valid_from) AS year_built, max(last_seen) AS last_seen
    FROM   {{template "versions_of" dict "dataset" "particulars" "at" "night"}}
    GROUP BY vessel_id
) AS p ON p.vessel_id = r.vessel_id
LEFT JOIN (
    SELECT vessel_id, max(last_seen) AS last_seen
    FROM   {{template "versions_of" dict "dataset" "engine" "at" "night"}}
    GROUP BY vessel_id
) AS e ON e.vessel_id = r.vessel_id
LEFT JOIN (
    SELECT vessel_id, arg_min(manager, valid_from) AS manager, arg_min(registered_owner, valid_from) AS registered_owner, arg_min(class_society, valid_from) AS class_society,
           max(last_seen) AS last_seen
    FROM   {{template "versions_of" dict "dataset" "management" "at" "night"}}
    GROUP BY vessel_id
) AS m ON m.vessel_id = r.vessel_id
LEFT JOIN {{template "movements" dict "at" "night" "time" "position_at" "now" "true"}} AS s ON s.vessel_id = r.vessel_id;
COMMENT ON MACRO TABLE fleet_of IS 'fleet_of(night): the fleet of a night as it is best known now, with the columns of vessels: the vessels that were on the list by what is known now, under the ids that they have now. A value is that of the night; one that was not known then is the first that was learned later, so that a sum over nights does not grow because lookups arrive. registration_seen_at, particulars_seen_at, engine_seen_at and management_seen_at say when they were last observed until now; positions and statuses are the latest up to that night. A night after the last one has no rows. It works for each row of a table of nights, as fleet_on does, which has what was known then.';
