-- renamed.sql: vessels that showed another name on night $1 than before, and how many there are.
SELECT count(*) OVER () AS total, new.vessel_id, new.name, old.name AS was, new.name AS now_is, new.vessel_type
FROM   registration AS new
JOIN   registration AS old ON old.vessel_id = new.vessel_id AND old.valid_to = new.valid_from
WHERE  new.snapshot_date = $1::DATE AND old.name <> new.name
ORDER BY new.imo IS NULL, new.name, new.vessel_id
LIMIT  $2;
