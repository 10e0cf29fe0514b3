-- stays: tonight's listings with the open stays that they continue, if there are any. Before the first
-- night there are none to compare with.
-- reads: listed, present
-- makes: stays
-- needs: present
-- after: stays_of_links
CREATE OR REPLACE TEMP TABLE stays AS
SELECT h.rid, p.has_country, p.has_type, p.has_country IS DISTINCT FROM h.has_country OR p.has_type IS DISTINCT FROM h.has_type AS differs,
       CASE WHEN h.rid IS NULL THEN p.vessel_id END AS vessel_id, CASE WHEN h.rid IS NULL THEN p.run_id END AS run_id
FROM   present AS p
LEFT JOIN (SELECT rowid AS rid, vessel_id, has_country, has_type, last_date FROM listed WHERE to_date IS NULL) AS h USING (vessel_id)
WHERE  {{if .Empty}}false{{else}}h.rid IS NULL OR h.last_date < $date{{end}};
