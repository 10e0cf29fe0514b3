-- slips_open: a ship that shows another's IMO number, for a person to look at.
-- reads: assigned, identity_conflicts, imo_slips
-- adds to: identity_conflicts
-- needs: imo_slips
-- after: slips_continue
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT p.vessel_id, 'registration', 'imo', substr(p.number_id, 4), 'another ship shows this imo number', $date, $date, any_value(s.run_id), any_value(s.entry)
FROM   (SELECT number_id, unnest([number_id, vessel_id]) AS vessel_id FROM assigned WHERE slip) AS p
JOIN   imo_slips AS s ON s.imo = internal.number_of(p.number_id)
WHERE  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = p.vessel_id AND c.field = 'imo' AND c.raw_value = substr(p.number_id, 4))
GROUP BY p.vessel_id, p.number_id
ORDER BY p.vessel_id, p.number_id;
