-- versions_alias_close: the open version of an id ends when tonight makes the id an alias.
UPDATE {{.Name}} AS h
SET    valid_to = greatest(a.since, h.last_seen + INTERVAL 1 MICROSECOND), closed_date = $date
FROM   vessel_aliases AS a
WHERE  h.vessel_id = a.alias_id AND h.valid_to IS NULL AND a.until IS NULL AND a.snapshot_date = $date;
