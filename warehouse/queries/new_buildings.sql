-- Vessels that are new on the list, and which of them are new buildings.
-- Their first stay began after the first night of this warehouse; a new building is of this year or
-- the last.
SELECT l.vessel_id, v.name, v.flag, v.vessel_type, l.from_date AS listed_since, v.year_built,
       v.year_built >= (SELECT year(max(snapshot_date)) - 1 FROM runs) AS new_build
FROM   listed AS l
JOIN   vessels AS v USING (vessel_id)
WHERE  l.from_date > (SELECT min(from_date) FROM listed)
  AND  NOT EXISTS (FROM listed AS b WHERE b.vessel_id = l.vessel_id AND b.from_date < l.from_date)
ORDER BY l.from_date DESC, l.vessel_id;
