-- claimants: the vessels that may be who shows a doubted MMSI tonight, in each description that is known: by their
-- registration, and by tonight's rows with an IMO number. One that tonight's rows give another MMSI is none.
-- reads: lake_identities, mmsi_claimed, mmsi_doubted, registration
-- makes: claimants
-- columns: mmsi VARCHAR, vessel_id VARCHAR, name VARCHAR, callsign VARCHAR, vessel_type VARCHAR, category VARCHAR
-- columns: last_seen TIMESTAMPTZ, departed BOOLEAN, tonight BOOLEAN
-- needs: mmsi_doubted
CREATE OR REPLACE TEMP TABLE claimants AS
SELECT * REPLACE (departed AND NOT bool_or(tonight) OVER (PARTITION BY vessel_id) AS departed)
FROM (
    SELECT k.mmsi, k.vessel_id, r.name, r.callsign, r.vessel_type, r.category, r.last_seen, k.departed, false AS tonight
    FROM   mmsi_claimed AS k
    JOIN   registration AS r ON r.rowid = k.rid
    LEFT JOIN (
        SELECT imo, list(DISTINCT mmsi) AS mmsis FROM lake_identities WHERE imo IN (SELECT imo FROM mmsi_claimed SEMI JOIN mmsi_doubted USING (mmsi)) AND mmsi IS NOT NULL GROUP BY imo
    ) AS l ON l.imo = k.imo
    WHERE  k.mmsi IN (FROM mmsi_doubted) AND (l.imo IS NULL OR l.mmsis = [k.mmsi])
    UNION ALL
    -- who had the MMSI under an earlier flag
    SELECT substr(vessel_id, 5), vessel_id, name, callsign, vessel_type, category, last_seen, false, false
    FROM   registration
    WHERE  vessel_number IN (SELECT mmsi::INTEGER FROM mmsi_doubted) AND imo IS NULL AND valid_to IS NULL AND substr(vessel_id, 5) IN (FROM mmsi_doubted) AND mmsi <> substr(vessel_id, 5)
    UNION ALL
    SELECT mmsi, vessel_id, name, max(callsign), max(vessel_type), max(category), max(seen_at), false, true
    FROM   lake_identities
    WHERE  imo IS NOT NULL AND mmsi IN (FROM mmsi_doubted)
    GROUP BY mmsi, vessel_id, name
);
