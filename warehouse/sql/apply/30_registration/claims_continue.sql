-- claims_continue: a second MMSI that tonight's rows give again.
UPDATE second_mmsi_claims AS c
SET    last_date = $date, last_seen = greatest(c.last_seen, s.last_seen)
FROM   second_mmsis AS s
WHERE  s.second AND c.until IS NULL AND c.vessel_id = s.vessel_id AND c.mmsi = s.mmsi;
