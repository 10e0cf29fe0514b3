-- contested_continue: a value beside the kept one that the list gives again has a new last date.
-- reads: contested
-- changes: identity_conflicts
-- needs: contested
UPDATE identity_conflicts AS c
SET    last_date = $date
FROM   (FROM contested WHERE NOT kept) AS t
WHERE  c.vessel_id = t.vessel_id AND c.field = t.field AND c.raw_value = t.value;
