-- slips_continue: a ship that shows another's IMO number again has a new last date.
-- reads: assigned
-- changes: identity_conflicts
-- needs: imo_slips
-- after: apart_open
UPDATE identity_conflicts AS c
SET    last_date = $date
FROM   (SELECT DISTINCT number_id FROM assigned WHERE slip) AS a
WHERE  c.field = 'imo' AND c.raw_value = substr(a.number_id, 4);
