-- stays_open: the vessel is new on the list, or back on it.
INSERT INTO listed BY NAME
SELECT p.vessel_id, $date AS from_date, $date AS last_date, p.run_id, p.has_country, p.has_type
FROM   present AS p
ANTI JOIN (SELECT vessel_id FROM listed WHERE to_date IS NULL) AS h ON h.vessel_id = p.vessel_id;
