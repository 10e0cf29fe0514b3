-- changes_flapping: mark the changes to and from a value that a single observation had, after which
-- the earlier value returned, perhaps in another spelling. A change that is marked is no such value of another one: if one
-- answer is ahead of the others, the change to its value counts when a later night has it.
-- reads: changes
-- changes: changes
-- needs: changes WHERE snapshot_date = $date
-- after: changes, changes_within_night
UPDATE changes
SET    flapping = true
FROM (
    SELECT unnest([p.rid, c.rid]) AS rid
    FROM   (SELECT rowid AS rid, * FROM changes WHERE snapshot_date = $date AND NOT flapping) AS c
    JOIN   (SELECT rowid AS rid, * FROM changes WHERE NOT flapping) AS p
           ON p.vessel_id = c.vessel_id AND p.dataset = c.dataset AND p.field = c.field AND p.seen_after = c.seen_before AND p.new_value = c.old_value AND (p.old_value = c.new_value OR internal.respelled(c.field, p.old_value, c.new_value))
) AS f
WHERE  changes.rowid = f.rid;
