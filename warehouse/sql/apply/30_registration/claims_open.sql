-- claims_open: a second MMSI that tonight's rows give for the first time, or again after it was gone.
-- reads: claimed_mmsis, second_mmsi_claims
-- adds to: second_mmsi_claims
-- needs: claimed_mmsis
-- after: claims_continue
INSERT INTO second_mmsi_claims BY NAME
SELECT s.vessel_id, s.mmsi, s.country, s.since AS first_date, $date AS last_date, s.first_seen, s.last_seen, s.run_id
FROM   claimed_mmsis AS s
WHERE  NOT EXISTS (FROM second_mmsi_claims AS c WHERE c.until IS NULL AND c.vessel_id = s.vessel_id AND c.mmsi = s.mmsi)
ORDER BY s.vessel_id, s.mmsi;
