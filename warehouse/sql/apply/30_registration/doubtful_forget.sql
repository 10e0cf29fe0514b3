-- doubtful_forget: the values of which an earlier night decided, and those that tonight's list replaces.
DELETE FROM internal.doubtful_values AS d
WHERE  d.settled_on < $date
   OR  EXISTS (FROM contested AS c WHERE c.kept AND c.vessel_id = d.vessel_id AND c.field = d.field AND c.value <> d.value);
