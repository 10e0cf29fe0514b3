-- changes_flapping: a value that was seen at one observation only, before the value before it
-- came back. Both changes stay, and are marked.
UPDATE changes
SET    flapping = true
FROM (
    SELECT unnest([p.rid, c.rid]) AS rid
    FROM   (SELECT rowid AS rid, * FROM changes WHERE snapshot_date = $date AND NOT flapping) AS c
    JOIN   (SELECT rowid AS rid, * FROM changes) AS p
           ON p.vessel_id = c.vessel_id AND p.dataset = c.dataset AND p.field = c.field AND p.seen_after = c.seen_before AND p.old_value = c.new_value AND p.new_value = c.old_value
) AS f
WHERE  changes.rowid = f.rid;
