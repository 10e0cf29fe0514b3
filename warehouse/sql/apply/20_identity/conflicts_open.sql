-- conflicts_open: tonight's rows give one MMSI to several IMO numbers. Each vessel keeps its claim to
-- the MMSI, and a row with the MMSI alone is joined to none of them.
-- reads: identity_conflicts, lake_identities, mmsi_evidence
-- adds to: identity_conflicts
-- needs: mmsi_evidence WHERE least_imo <> greatest_imo
-- after: conflicts_continue
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT l.vessel_id, first(l.dataset ORDER BY l.seen_at, l.run_id, l.entry), 'mmsi', l.mmsi, 'several imo numbers show this mmsi', $date, $date,
       first(l.run_id ORDER BY l.seen_at, l.run_id, l.entry), first(l.entry ORDER BY l.seen_at, l.run_id, l.entry)
FROM   lake_identities AS l
JOIN   mmsi_evidence AS s ON s.mmsi = l.mmsi AND s.least_imo <> s.greatest_imo
WHERE  l.imo IS NOT NULL
  AND  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = l.vessel_id AND c.field = 'mmsi' AND c.raw_value = l.mmsi)
GROUP BY l.vessel_id, l.mmsi
ORDER BY l.vessel_id, l.mmsi;
