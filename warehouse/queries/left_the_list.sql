-- Vessels that left the list and did not come back.
-- last_date is the last night on the list, absent_on the night whose coverage proved that they were
-- gone: the departure lies between the two.
SELECT l.vessel_id, v.name, v.flag, v.category, l.from_date, l.last_date, l.absent_on
FROM   listed AS l
JOIN   vessels AS v USING (vessel_id)
WHERE  l.absent_on IS NOT NULL AND NOT v.listed
  AND  NOT EXISTS (FROM listed AS n WHERE n.vessel_id = l.vessel_id AND n.from_date > l.from_date)
ORDER BY l.absent_on DESC, l.vessel_id;
