-- claimed_mmsis: the second MMSIs of tonight: those of entries and profiles, and those that only sightings give and that
-- differ from the one of the vessel's registration, as tonight's listings and profiles leave it.
-- reads: night_sightings, registration, second_mmsis
-- makes: claimed_mmsis
-- needs: second_mmsis or night_sightings
-- after: versions_new
CREATE OR REPLACE TEMP TABLE claimed_mmsis AS
FROM second_mmsis WHERE second
UNION ALL
SELECT s.vessel_id, s.mmsi, arg_max(s.country, s.seen_at), $date::DATE, min(s.seen_at), max(s.seen_at), arg_min(s.run_id, s.seen_at), true
FROM   night_sightings AS s
JOIN   (SELECT vessel_id, mmsi FROM registration WHERE valid_to IS NULL AND imo IS NOT NULL) AS r ON r.vessel_id = s.vessel_id
WHERE  s.imo IS NOT NULL AND s.mmsi <> r.mmsi
  AND  NOT EXISTS (FROM second_mmsis AS k WHERE k.vessel_id = s.vessel_id AND k.mmsi = s.mmsi)
GROUP BY s.vessel_id, s.mmsi;
