-- reflagged.sql: the vessels that showed another flag on night $1 than before, and how many there are.
SELECT count(*) OVER () AS total, c.vessel_id, c.name, coalesce(b.name, c.flag_before) AS was, coalesce(a.name, c.flag_after) AS now_is, c.category
FROM   reflaggings AS c
LEFT JOIN flags AS b ON b.flag = c.flag_before
LEFT JOIN flags AS a ON a.flag = c.flag_after
WHERE  c.snapshot_date = $1::DATE AND c.is_vessel
ORDER BY c.imo IS NULL, c.name, c.vessel_id
LIMIT  $2;
