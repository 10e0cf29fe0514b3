-- renumbered: the IMO numbers that tonight's rows show with another MMSI than the registration. Most nights have few, and
-- many have none.
-- reads: lake_numbers, registration
-- makes: renumbered
-- needs: lake_numbers
-- needs: registration
CREATE OR REPLACE TEMP TABLE renumbered AS
SELECT DISTINCT l.imo
FROM   lake_numbers AS l
JOIN   registration AS r ON r.vessel_number = l.imo AND r.imo = l.imo AND r.valid_to IS NULL
WHERE  TRY_CAST(r.mmsi AS INTEGER) <> TRY_CAST(l.mmsi AS INTEGER);
