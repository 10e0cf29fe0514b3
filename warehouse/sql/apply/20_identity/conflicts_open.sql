-- conflicts_open: several IMO numbers come with one MMSI on one night. Each vessel keeps
-- its claim to it, and no row is joined to any of them by it.
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT l.vessel_id, first(l.dataset ORDER BY l.seen_at, l.run_id, l.entry), 'mmsi', l.mmsi, 'several imo numbers show this mmsi', $date, $date,
       first(l.run_id ORDER BY l.seen_at, l.run_id, l.entry), first(l.entry ORDER BY l.seen_at, l.run_id, l.entry)
FROM   lake_identities AS l
JOIN   mmsi_evidence AS s ON s.mmsi = l.mmsi AND s.least_imo <> s.greatest_imo
WHERE  l.imo IS NOT NULL
  AND  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = l.vessel_id AND c.field = 'mmsi' AND c.raw_value = l.mmsi)
GROUP BY l.vessel_id, l.mmsi
ORDER BY l.vessel_id, l.mmsi;
