-- episodes.sql: the stays in a status and zone, each with what the vessel is called now.
SELECT e.vessel_id, r.name, r.flag, r.category, r.is_vessel, e.navigational_status, e.world_zone, e.laden, e.first_date, e.last_date, e.nights, e.nights_unseen, e.run_id
FROM   episodes AS e
JOIN   registration AS r ON r.vessel_number = e.vessel_number AND r.vessel_id = e.vessel_id AND r.valid_to IS NULL
