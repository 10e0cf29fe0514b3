-- MMSIs that several vessels had at the same time.
-- One row for each of the vessels: each keeps its claim, and an answer that has the MMSI alone is given to
-- none of them.
SELECT i.value AS mmsi, v.vessel_id, v.name, v.flag, v.vessel_type, v.mmsi AS mmsi_in_use, i.detail, i.since, i.last_date
FROM   identity_review AS i
JOIN   vessels AS v ON v.vessel_id = i.vessel_id OR contains(i.other_vessel_ids, v.vessel_id)
WHERE  i.kind IN ('identity conflict', 'shared mmsi')
ORDER BY i.value, v.vessel_id;
