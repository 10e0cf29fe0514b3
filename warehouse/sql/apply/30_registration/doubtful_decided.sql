-- doubtful_decided: tonight's list decides of these values.
-- reads: doubtful_observed
-- changes: internal.doubtful_values
-- needs: doubtful_observed
UPDATE internal.doubtful_values AS d
SET    settled_on = $date
FROM   doubtful_observed AS o
WHERE  d.vessel_id = o.vessel_id AND d.field = o.field AND d.settled_on IS NULL;
