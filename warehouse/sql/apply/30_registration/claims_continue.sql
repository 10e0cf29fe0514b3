-- claims_continue: a second MMSI that tonight's rows give again.
-- reads: claimed_mmsis
-- changes: second_mmsi_claims
-- needs: claimed_mmsis
UPDATE second_mmsi_claims AS c
SET    last_date = $date, last_seen = greatest(c.last_seen, s.last_seen)
FROM   claimed_mmsis AS s
WHERE  c.until IS NULL AND c.vessel_id = s.vessel_id AND c.mmsi = s.mmsi;
