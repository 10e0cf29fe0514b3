-- claims_open: a second MMSI that tonight shows for the first time.
INSERT INTO second_mmsi_claims (vessel_id, mmsi, first_date, last_date, first_seen, last_seen, run_id)
SELECT s.vessel_id, s.mmsi, $date, $date, s.first_seen, s.last_seen, s.run_id
FROM   second_mmsis AS s
WHERE  s.second AND NOT EXISTS (FROM second_mmsi_claims AS c WHERE c.vessel_id = s.vessel_id AND c.mmsi = s.mmsi)
ORDER BY s.vessel_id, s.mmsi;
