-- mmsi_wanted: the MMSIs whose holder must be found tonight: those of rows without an IMO
-- number, and those of vessels that are known by their MMSI alone.
-- reads: lake_identities, registration
-- makes: mmsi_wanted
CREATE OR REPLACE TEMP TABLE mmsi_wanted AS
SELECT mmsi FROM lake_identities WHERE imo IS NULL AND mmsi IS NOT NULL
UNION
SELECT mmsi FROM registration WHERE imo IS NULL AND mmsi IS NOT NULL AND valid_to IS NULL;
