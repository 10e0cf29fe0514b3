-- stays: the open stays that tonight's listings go on with.
CREATE OR REPLACE TEMP TABLE stays AS
SELECT h.rid
FROM   present AS p
JOIN   (SELECT rowid AS rid, vessel_id FROM listed WHERE to_date IS NULL AND last_date < $date) AS h USING (vessel_id)
ORDER BY h.rid;
