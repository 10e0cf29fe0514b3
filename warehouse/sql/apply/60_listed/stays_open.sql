-- stays_open: the vessel is new on the list, or back on it.
INSERT INTO listed BY NAME
SELECT vessel_id, $date AS from_date, $date AS last_date, run_id, has_country, has_type
FROM   {{if .Empty}}present{{else}}(FROM stays WHERE rid IS NULL){{end}};
