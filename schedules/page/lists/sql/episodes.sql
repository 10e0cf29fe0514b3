-- episodes.sql: the stays in a status and zone, each with what the vessel is called now. Numbers are joined in an
-- eighth of the time of ids. An MMSI that begins with two zeros can be the number of another vessel, too: if
-- there is such a pair, the ids are compared as well.
SELECT r.vessel_id, r.name, r.flag, r.category, r.is_vessel, e.navigational_status, e.world_zone, e.laden, e.first_date, e.last_date, e.nights, e.nights_unseen, e.run_id
FROM   episodes AS e
JOIN   registration AS r ON r.vessel_number = e.vessel_number{{if .}} AND r.vessel_id = e.vessel_id{{end}} AND r.valid_to IS NULL
