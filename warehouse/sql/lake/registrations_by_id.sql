-- registrations_by_id: the open registrations as r, in the order of vessel_id. Only the ids are sorted.
(SELECT vessel_id FROM registration WHERE valid_to IS NULL ORDER BY vessel_id) AS o
JOIN   registration AS r ON r.vessel_id = o.vessel_id AND r.valid_to IS NULL
