-- conflicts_continue: a known contradiction that tonight's rows repeat gets a new last date.
-- reads: lake_identities, mmsi_evidence
-- changes: identity_conflicts
-- needs: mmsi_evidence WHERE least_imo <> greatest_imo
UPDATE identity_conflicts AS c
SET    last_date = $date
FROM   (SELECT DISTINCT l.vessel_id, l.mmsi FROM lake_identities AS l JOIN mmsi_evidence AS s USING (mmsi)
        WHERE l.imo IS NOT NULL AND s.least_imo <> s.greatest_imo) AS t
WHERE  c.vessel_id = t.vessel_id AND c.field = 'mmsi' AND c.raw_value = t.mmsi;
