-- stays_open: the vessel is new on the list, or back on it.
INSERT INTO listed (vessel_id, from_date, to_date, last_date, absent_on, run_id)
SELECT p.vessel_id, $date, NULL, $date, NULL, p.run_id
FROM   present AS p
ANTI JOIN (SELECT vessel_id FROM listed WHERE to_date IS NULL) AS h ON h.vessel_id = p.vessel_id;
