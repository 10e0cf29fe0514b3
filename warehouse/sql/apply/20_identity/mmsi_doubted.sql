-- mmsi_doubted: the MMSIs of which tonight's rows without an IMO number may be of several ships, or of another one
-- than the registration with the MMSI. An MMSI is given to another ship when its holder is gone, and at times to
-- two at once. The many others need not be looked at. Of an MMSI with several IMO numbers tonight nothing is decided.
-- reads: lake_identities, mmsi_claimed, mmsi_evidence, mmsi_wanted, registration
-- makes: mmsi_doubted
-- columns: mmsi VARCHAR
-- needs: lake_identities
-- needs: mmsi_wanted
CREATE OR REPLACE TEMP TABLE mmsi_doubted AS
-- moved: the vessels whose id has another MMSI than their registration, or one that was given again
WITH moved AS (
    SELECT mmsi, vessel_id FROM registration WHERE valid_to IS NULL AND imo IS NULL AND (vessel_number <> TRY_CAST(mmsi AS INTEGER) OR contains(vessel_id, '.'))
-- shown: the names of tonight's rows, and differing: the MMSIs of which one is another than that of a registration, or that was gone
), shown AS MATERIALIZED (
    SELECT mmsi, imo IS NULL AS alone, hash(name) AS name_hash FROM lake_identities WHERE mmsi IN (FROM mmsi_wanted) AND name IS NOT NULL GROUP BY ALL
), differing AS MATERIALIZED (
    SELECT DISTINCT s.mmsi FROM shown AS s JOIN mmsi_claimed AS k ON k.mmsi = s.mmsi WHERE (s.alone OR k.imo IS NULL) AND (k.departed OR s.name_hash <> k.name_hash)
)
SELECT mmsi
FROM (
    -- who shows the MMSI tonight is described otherwise than its registration
    SELECT s.mmsi
    FROM   (FROM lake_identities WHERE mmsi IN (FROM differing) AND name IS NOT NULL) AS s
    JOIN   (
        SELECT k.mmsi, k.imo, k.departed, r.name, r.callsign, r.vessel_type, r.category
        FROM   mmsi_claimed AS k
        JOIN   registration AS r ON r.rowid = k.rid
        WHERE  k.mmsi IN (FROM differing)
    ) AS c ON c.mmsi = s.mmsi
    WHERE  (s.imo IS NULL OR c.imo IS NULL) AND {{template "another"}}
    UNION
    -- several registrations have it
    SELECT mmsi FROM mmsi_claimed GROUP BY mmsi HAVING count(*) > 1 AND bool_or(imo IS NULL)
    UNION
    SELECT mmsi FROM moved WHERE mmsi IN (FROM mmsi_wanted)
    UNION
    SELECT substr(vessel_id, 5, 9) FROM moved WHERE substr(vessel_id, 5, 9) IN (FROM mmsi_wanted)
    UNION
    -- tonight's rows have several names for it
    SELECT mmsi FROM shown GROUP BY mmsi HAVING min(name_hash) <> max(name_hash) AND bool_or(alone)
)
WHERE  mmsi NOT IN (SELECT mmsi FROM mmsi_evidence WHERE least_imo <> greatest_imo);
