-- changes_settled: tonight's list gives the kept value alone, so that the change to it is none to doubt.
-- reads: doubtful_observed
-- changes: changes
-- needs: doubtful_observed
-- after: changes_doubtful
UPDATE changes AS c
SET    flapping = false
FROM   (FROM doubtful_observed WHERE value = observed) AS t
WHERE  c.vessel_id = t.vessel_id AND c.dataset = 'registration' AND c.seen_after = t.seen_after
  AND  c.field IN (t.field, if(t.field = 'flag', 'country', 'category'), if(t.field = 'flag', 'country', 'is_vessel'));
