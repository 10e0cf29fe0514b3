-- asked: the MMSIs for which tonight must say whose they are: those of rows that show no IMO
-- number, and those of vessels that are known by their MMSI alone.
CREATE OR REPLACE TEMP TABLE asked AS
SELECT mmsi FROM lake_identities WHERE imo IS NULL AND mmsi IS NOT NULL
UNION
SELECT mmsi FROM registration WHERE imo IS NULL AND mmsi IS NOT NULL AND valid_to IS NULL;
