-- aliases_open: an alias begins when tonight's rows give an IMO number to a vessel that was known by
-- its MMSI alone.
INSERT INTO vessel_aliases (alias_id, vessel_id, since, until, snapshot_date, reason, run_id)
SELECT 'MMSI' || s.mmsi, 'IMO' || s.least_imo, s.since, NULL, $date, 'mmsi shown with an imo number', s.run_id
FROM   mmsi_evidence AS s
WHERE  s.least_imo = s.greatest_imo
  AND  EXISTS (FROM registration AS r WHERE r.vessel_id = 'MMSI' || s.mmsi AND r.valid_to IS NULL)
  AND  NOT EXISTS (FROM vessel_aliases AS a WHERE a.alias_id = 'MMSI' || s.mmsi AND a.until IS NULL)
ORDER BY 1;
