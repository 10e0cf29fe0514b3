-- doubtful_forget: the values of which an earlier night decided, and those that tonight's list replaces.
-- reads: contested
-- changes: internal.doubtful_values
-- needs: internal.doubtful_values
-- after: doubtful_decided
DELETE FROM internal.doubtful_values AS d
WHERE  d.settled_on < $date
   OR  EXISTS (FROM contested AS c WHERE c.kept AND c.vessel_id = d.vessel_id AND c.field = d.field AND c.value <> d.value);
