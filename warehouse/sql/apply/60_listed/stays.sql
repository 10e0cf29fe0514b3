-- stays: the open stays that tonight's listings continue.
CREATE OR REPLACE TEMP TABLE stays AS
SELECT h.rid, p.has_country, p.has_type, p.has_country IS DISTINCT FROM h.has_country OR p.has_type IS DISTINCT FROM h.has_type AS differs
FROM   present AS p
JOIN   (SELECT rowid AS rid, vessel_id, has_country, has_type FROM listed WHERE to_date IS NULL AND last_date < $date) AS h USING (vessel_id)
ORDER BY h.rid;
