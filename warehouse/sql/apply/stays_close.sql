-- stays_close: the vessel is gone, which takes proof: tonight covered completely every country
-- that the service accepts, or every type, and nothing of tonight shows the vessel. A vessel
-- whose country is not known may stand under none, so that the countries prove nothing of
-- it; the same with types. All else was not observed, and stays.
UPDATE listed AS h
SET    to_date = h.last_date, absent_on = $date
FROM   registration AS r
WHERE  h.to_date IS NULL AND h.last_date < $date
  AND  r.vessel_id = h.vessel_id AND r.valid_to IS NULL
  AND  (
           r.country IS NOT NULL
       AND (SELECT count(*) > 0 FROM countries)
       AND NOT EXISTS (FROM countries AS a WHERE lower(a.spelling) NOT IN
               (SELECT lower(value) FROM coverage WHERE snapshot_date = $date AND kind = 'country' AND state = 'complete'))
    OR     r.vessel_type IS NOT NULL
       AND (SELECT count(*) > 0 FROM vessel_types)
       AND NOT EXISTS (FROM vessel_types AS a WHERE lower(a.spelling) NOT IN
               (SELECT lower(value) FROM coverage WHERE snapshot_date = $date AND kind = 'type' AND state = 'complete'))
  )
  AND  NOT EXISTS (FROM night_sightings AS n WHERE n.vessel_id = h.vessel_id)
  AND  NOT EXISTS (FROM night_particulars AS n WHERE n.vessel_id = h.vessel_id)
  AND  NOT EXISTS (FROM night_positions AS n WHERE n.vessel_id = h.vessel_id);
