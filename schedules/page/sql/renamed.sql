-- renamed.sql: the vessels that showed another name on night $1 than before, and how many there are.
SELECT count(*) OVER () AS total, vessel_id, name_after, name_before AS was, name_after AS now_is, category
FROM   renamings
WHERE  snapshot_date = $1::DATE AND is_vessel
ORDER BY imo IS NULL, name_after, vessel_id
LIMIT  $2;
