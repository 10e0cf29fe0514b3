-- kept_apart: the pairs of vessels that tonight shows to be two ships, although they have one MMSI: one that tonight's
-- rows describe, and one of which that description is not.
-- reads: claimants, lake_identities, shown_as
-- makes: kept_apart
-- columns: mmsi VARCHAR, vessel_id VARCHAR, other_id VARCHAR, departed BOOLEAN
-- needs: mmsi_doubted
CREATE OR REPLACE TEMP TABLE kept_apart AS
WITH described AS (
    SELECT a.mmsi, a.vessel_id, l.name, max(l.callsign) AS callsign, max(l.vessel_type) AS vessel_type, max(l.category) AS category
    FROM   shown_as AS a
    JOIN   lake_identities AS l ON l.imo IS NULL AND l.mmsi = a.mmsi AND l.name = a.name
    GROUP BY a.mmsi, a.vessel_id, l.name
    UNION ALL
    SELECT mmsi, vessel_id, name, callsign, vessel_type, category FROM claimants WHERE tonight AND name IS NOT NULL
)
SELECT s.mmsi, s.vessel_id, c.vessel_id AS other_id, bool_and(c.departed) AS departed
FROM   described AS s
JOIN   claimants AS c ON c.mmsi = s.mmsi AND c.vessel_id <> s.vessel_id AND (s.vessel_id[1:3] <> 'IMO' OR c.vessel_id[1:3] <> 'IMO')
GROUP BY s.mmsi, s.vessel_id, c.vessel_id
HAVING bool_and({{template "another"}});
