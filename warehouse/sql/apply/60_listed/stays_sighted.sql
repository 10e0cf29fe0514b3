-- stays_sighted: a status search returned the vessel tonight, so that she is in the fleet although the list
-- missed her: nights that missed her before prove nothing. A lookup is no such sign: it finds vessels, too,
-- that are on no search any more.
-- reads: night_sightings
-- changes: listed
-- needs: night_sightings
-- after: stays_open
UPDATE listed AS h
SET    missing_since = NULL
WHERE  h.to_date IS NULL AND h.missing_since IS NOT NULL
  AND  h.vessel_id IN (SELECT vessel_id FROM night_sightings);
