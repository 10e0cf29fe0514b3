-- apart_continue: two ships that show one MMSI tonight as before get a new last date.
-- reads: kept_apart
-- changes: identity_conflicts
-- needs: kept_apart
-- after: conflicts_open
UPDATE identity_conflicts AS c
SET    last_date = $date
FROM   kept_apart AS k
WHERE  c.field = 'mmsi' AND c.raw_value = k.mmsi AND c.vessel_id IN (k.vessel_id, k.other_id);
