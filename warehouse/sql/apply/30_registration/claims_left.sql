-- claims_left: an MMSI that another one replaced becomes a second MMSI, unless tonight's coverage
-- proves that its entry left the list: if the entry is seen again later, its MMSI is no new one.
-- reads: changed_registration, proven_countries, registration, second_mmsi_claims
-- adds to: second_mmsi_claims
-- needs: changed_registration
-- after: claims_open, versions_new
INSERT INTO second_mmsi_claims BY NAME
SELECT c.vessel_id, h.mmsi, h.country, h.snapshot_date AS first_date, greatest(h.snapshot_date, (h.last_seen AT TIME ZONE 'UTC')::DATE) AS last_date, h.first_seen, h.last_seen, h.run_id
FROM   changed_registration AS c
JOIN   registration AS h ON h.rowid = c.rid
WHERE  c.differs AND c.imo IS NOT NULL AND c.mmsi <> h.mmsi AND coalesce(h.country, '') NOT IN (FROM proven_countries)
  AND  NOT EXISTS (FROM second_mmsi_claims AS k WHERE k.until IS NULL AND k.vessel_id = c.vessel_id AND k.mmsi = h.mmsi)
ORDER BY c.vessel_id, h.mmsi;
