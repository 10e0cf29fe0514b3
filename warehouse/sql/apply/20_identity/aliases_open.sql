-- aliases_open: an alias begins when tonight's rows give an IMO number to a vessel that was known by
-- its MMSI alone, unless they describe another ship.
-- reads: kept_apart, mmsi_evidence, registration, vessel_aliases
-- adds to: vessel_aliases
-- needs: mmsi_evidence
-- after: aliases_end
INSERT INTO vessel_aliases (alias_id, vessel_id, since, until, snapshot_date, reason, run_id)
SELECT r.vessel_id, 'IMO' || s.least_imo, s.since, NULL, $date, 'mmsi shown with an imo number', s.run_id
FROM   mmsi_evidence AS s
JOIN   registration AS r ON r.mmsi = s.mmsi AND r.imo IS NULL AND r.valid_to IS NULL
WHERE  s.least_imo = s.greatest_imo
  AND  NOT EXISTS (FROM vessel_aliases AS a WHERE a.alias_id = r.vessel_id AND a.until IS NULL)
  AND  NOT EXISTS (FROM kept_apart AS k WHERE k.mmsi = s.mmsi AND r.vessel_id IN (k.vessel_id, k.other_id) AND 'IMO' || s.least_imo IN (k.vessel_id, k.other_id))
ORDER BY 1;
