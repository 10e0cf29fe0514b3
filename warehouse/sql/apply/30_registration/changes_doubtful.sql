-- changes_doubtful: a change is doubtful to a value that tonight's list gives beside another, and from one
-- that was only ever seen beside another.
-- reads: contested, doubtful_observed
-- changes: changes
-- needs: contested or doubtful_observed
-- after: changes, changes_within_night
UPDATE changes AS c
SET    flapping = true
FROM (
    SELECT vessel_id, field FROM contested WHERE kept AND value <> known
    UNION
    SELECT vessel_id, field FROM doubtful_observed WHERE value <> observed
) AS t
WHERE  c.vessel_id = t.vessel_id AND c.dataset = 'registration' AND c.snapshot_date = $date
  AND  c.field IN (t.field, if(t.field = 'flag', 'country', 'category'), if(t.field = 'flag', 'country', 'is_vessel'));
