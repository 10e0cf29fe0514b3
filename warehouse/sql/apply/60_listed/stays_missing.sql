-- stays_missing: the open stays of the vessels that tonight's complete list misses. A vessel that was last listed
-- without a country is under no country of the search, so that coverage of countries says nothing about
-- it; the same is true of types. Every other vessel was not observed, and its stay remains as it is.
-- reads: listed, night_sightings, proof
-- makes: stays_missing
-- needs: proof WHERE complete
-- after: stays_sighted
CREATE OR REPLACE TEMP TABLE stays_missing AS
SELECT h.rowid AS rid, h.missing_since
FROM   listed AS h
WHERE  h.to_date IS NULL AND h.last_date < $date
  AND  (    h.has_country AND (SELECT complete FROM proof WHERE kind = 'country')
         OR h.has_type AND (SELECT complete FROM proof WHERE kind = 'type'))
  AND  h.vessel_id NOT IN (SELECT vessel_id FROM night_sightings);
