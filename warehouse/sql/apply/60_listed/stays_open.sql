-- stays_open: the vessel is new on the list, or back on it.
-- reads: {{if .Empty}}present{{else}}stays{{end}}
-- adds to: listed
-- needs: {{if .Empty}}present{{else}}stays WHERE rid IS NULL{{end}}
-- after: stays_under
INSERT INTO listed BY NAME
SELECT vessel_id, $date AS from_date, $date AS last_date, run_id, has_country, has_type
FROM   {{if .Empty}}present{{else}}(FROM stays WHERE rid IS NULL){{end}};
