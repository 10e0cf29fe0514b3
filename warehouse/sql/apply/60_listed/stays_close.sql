-- stays_close: the vessel is gone, which takes proof: tonight covered completely every country
-- that the service accepts, or every type, and no row of tonight is about the vessel. A vessel
-- that was last listed without a country is under no country of the search, so that coverage
-- of countries proves nothing about it; the same is true of types. Every other vessel was not
-- observed, and its stay remains open.
UPDATE listed AS h
SET    to_date = h.last_date, absent_on = $date
WHERE  h.to_date IS NULL AND h.last_date < $date
  AND  (    h.has_country AND (SELECT proven FROM proof WHERE kind = 'country')
         OR h.has_type AND (SELECT proven FROM proof WHERE kind = 'type'))
  AND  NOT EXISTS (FROM night_sightings AS n WHERE n.vessel_id = h.vessel_id)
  AND  NOT EXISTS (FROM night_particulars AS n WHERE n.vessel_id = h.vessel_id)
  AND  NOT EXISTS (FROM night_positions AS n WHERE n.vessel_id = h.vessel_id);
