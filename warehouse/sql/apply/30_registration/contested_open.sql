-- contested_open: the list gives a vessel another flag or type beside the one that is kept.
-- reads: contested, identity_conflicts
-- adds to: identity_conflicts
-- needs: contested
-- after: contested_continue
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT t.vessel_id, 'registration', t.field, t.value, if(t.field = 'flag', 'the list of one night shows this flag and another', 'the list of one night shows this type and another'),
       $date, $date, t.run_id, t.entry
FROM   contested AS t
WHERE  NOT t.kept
  AND  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = t.vessel_id AND c.field = t.field AND c.raw_value = t.value)
ORDER BY t.vessel_id, t.field, t.value;
