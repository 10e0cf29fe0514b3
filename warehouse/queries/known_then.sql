-- What was known of each vessel after the first night, where it differs from now.
-- vessels_as_of(moment) answers from the intervals.
SELECT n.vessel_id, t.name AS name_then, n.name AS name_now, t.flag AS flag_then, n.flag AS flag_now, t.registered_owner AS owner_then, n.registered_owner AS owner_now
FROM   vessels_as_of((SELECT max(finished_at) FROM runs WHERE snapshot_date = (SELECT min(snapshot_date) FROM runs))) AS t
JOIN   vessels AS n USING (vessel_id)
WHERE  t.name IS DISTINCT FROM n.name OR t.flag IS DISTINCT FROM n.flag OR t.registered_owner <> n.registered_owner
ORDER BY n.vessel_id;
