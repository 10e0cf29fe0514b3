-- listed.sql: the stays on the list, each with what the vessel is called now.
SELECT l.vessel_id, r.name, r.flag, r.category, r.is_vessel, l.from_date, l.last_date, l.to_date, l.missing_since, l.absent_on, l.proof, l.run_id
FROM   listed AS l
JOIN   registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL
