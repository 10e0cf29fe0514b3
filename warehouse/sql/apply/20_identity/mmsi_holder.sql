-- mmsi_holder: the vessel that each wanted MMSI belongs to, if there is exactly one: the vessel that
-- has it in tonight's rows; if there is none, the vessel that has it in its registration, unless
-- tonight's rows give that vessel another MMSI. Of a doubted one, whose it is now, and of one that a vessel
-- has under her new flag, she.
-- reads: lake_identities, links, mmsi_doubted, mmsi_evidence, mmsi_wanted, registration, shown_as
-- makes: mmsi_holder
-- columns: mmsi_id VARCHAR, vessel_id VARCHAR
-- needs: lake_identities
-- needs: mmsi_wanted
CREATE OR REPLACE TEMP TABLE mmsi_holder AS
-- registered: the vessels whose registration has a wanted MMSI that no row of tonight gives to an IMO number
WITH registered AS (
    SELECT mmsi, imo
    FROM   registration
    WHERE  valid_to IS NULL AND imo IS NOT NULL
      AND  mmsi IN (SELECT mmsi FROM mmsi_wanted) AND mmsi NOT IN (SELECT mmsi FROM mmsi_evidence)
-- unmoved: those of them that have no other MMSI tonight
), unmoved AS (
    SELECT mmsi, min(imo) AS least_imo, max(imo) AS greatest_imo
    FROM   registered AS r
    ANTI JOIN (SELECT l.imo FROM lake_identities AS l SEMI JOIN registered AS b ON b.imo = l.imo WHERE l.mmsi IS NOT NULL) AS t ON t.imo = r.imo
    GROUP BY mmsi
)
SELECT 'MMSI' || mmsi AS mmsi_id, 'IMO' || least_imo AS vessel_id
FROM   (SELECT mmsi, least_imo, greatest_imo FROM mmsi_evidence UNION ALL FROM unmoved)
WHERE  least_imo = greatest_imo AND mmsi IN (SELECT mmsi FROM mmsi_wanted) AND mmsi NOT IN (FROM mmsi_doubted)
UNION ALL
SELECT 'MMSI' || s.mmsi, coalesce(k.vessel_id, s.vessel_id) FROM shown_as AS s LEFT JOIN links AS k ON k.proved AND k.shown_id = s.vessel_id WHERE s.name IS NULL
UNION ALL
SELECT shown_id, vessel_id FROM links WHERE proved AND mmsi NOT IN (FROM mmsi_doubted);
