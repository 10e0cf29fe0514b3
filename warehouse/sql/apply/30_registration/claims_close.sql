-- claims_close: a second MMSI ends if tonight's coverage proves that the vessel is on the list without
-- it, or if it has become the MMSI in use.
-- reads: night_listings, proven_countries, registration
-- changes: second_mmsi_claims
-- needs: second_mmsi_claims WHERE until IS NULL
-- after: claims_left
UPDATE second_mmsi_claims AS c
SET    until = $date
WHERE  c.until IS NULL
  AND  (    c.last_date < $date AND c.country IN (FROM proven_countries) AND EXISTS (FROM night_listings AS n WHERE n.vessel_id = c.vessel_id)
         OR EXISTS (FROM registration AS r WHERE r.vessel_id = c.vessel_id AND r.valid_to IS NULL AND r.mmsi = c.mmsi));
