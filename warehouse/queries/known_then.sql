-- What was known of each vessel after a night, where it differs from what is known now.
-- param night (night): a night, such as 2026-11-20; the first one if not given
SELECT n.vessel_id, t.name AS name_then, n.name AS name_now, t.flag AS flag_then, n.flag AS flag_now, t.registered_owner AS owner_then, n.registered_owner AS owner_now
FROM   vessels_as_of(coalesce(getvariable('night'), (SELECT min(snapshot_date)::VARCHAR FROM runs))) AS t
JOIN   vessels AS n USING (vessel_id)
WHERE  t.name IS DISTINCT FROM n.name OR t.flag IS DISTINCT FROM n.flag OR t.registered_owner <> n.registered_owner
ORDER BY n.vessel_id;
