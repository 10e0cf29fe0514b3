-- identified: the same, of which a row with the IMO number of another ship has its MMSI alone.
-- reads: imo_slips, lake_numbers
-- makes: lake_identities
-- needs: lake_numbers
CREATE OR REPLACE TEMP VIEW lake_identities AS
SELECT l.* REPLACE (CASE WHEN s.imo IS NULL THEN l.imo END AS imo, CASE WHEN s.imo IS NULL THEN l.vessel_id ELSE 'MMSI' || l.mmsi END AS vessel_id)
FROM   lake_numbers AS l
LEFT JOIN imo_slips AS s ON s.imo = l.imo AND s.mmsi = l.mmsi AND s.name = l.name;
