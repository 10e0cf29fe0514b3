-- versions_alias_close: the open version of an id ends when tonight makes the id an alias.
-- for each: dataset
-- reads: vessel_aliases
-- changes: {{.Name}}
-- needs: vessel_aliases WHERE snapshot_date = $date
-- after: versions_carry
UPDATE {{.Name}} AS h
SET    valid_to = greatest(a.since, h.last_seen + INTERVAL 1 MICROSECOND), closed_date = $date
FROM   vessel_aliases AS a
WHERE  h.vessel_id = a.alias_id AND h.valid_to IS NULL AND a.until IS NULL AND a.snapshot_date = $date;
