-- mmsi_claimed: the vessels whose registration has a wanted MMSI, and whether each is proved gone. Names are compared by
-- their hashes: of many vessels they would take much room.
-- reads: listed, mmsi_wanted, registration
-- makes: mmsi_claimed
-- columns: rid BIGINT, mmsi VARCHAR, vessel_id VARCHAR, imo INTEGER, name_hash UBIGINT, departed BOOLEAN
-- needs: lake_identities
-- needs: mmsi_wanted
CREATE OR REPLACE TEMP TABLE mmsi_claimed AS
WITH departed AS (
    SELECT vessel_id
    FROM   (FROM listed SEMI JOIN (SELECT vessel_id FROM listed WHERE absent_on IS NOT NULL) AS g USING (vessel_id))
    GROUP BY vessel_id
    HAVING bool_and(to_date IS NOT NULL) AND arg_max(absent_on IS NOT NULL, from_date)
)
SELECT r.rowid AS rid, r.mmsi, r.vessel_id, r.imo, hash(r.name) AS name_hash, d.vessel_id IS NOT NULL AS departed
FROM   registration AS r
LEFT JOIN departed AS d ON d.vessel_id = r.vessel_id
WHERE  r.valid_to IS NULL AND r.mmsi IN (FROM mmsi_wanted);
