-- held: the vessel that holds each asked MMSI, where exactly one does. Who shows it tonight
-- holds it. If nobody does, those hold it whose registration has it, unless they show
-- another one tonight.
CREATE OR REPLACE TEMP TABLE held AS
WITH before AS (
    SELECT mmsi, imo
    FROM   registration
    WHERE  valid_to IS NULL AND imo IS NOT NULL
      AND  mmsi IN (SELECT mmsi FROM asked) AND mmsi NOT IN (SELECT mmsi FROM shown)
), still AS (
    SELECT mmsi, min(imo) AS least_imo, max(imo) AS greatest_imo
    FROM   before
    ANTI JOIN (SELECT l.imo FROM lake_identities AS l SEMI JOIN before AS b ON b.imo = l.imo WHERE l.mmsi IS NOT NULL) AS t ON t.imo = before.imo
    GROUP BY mmsi
)
SELECT 'MMSI' || mmsi AS mmsi_id, 'IMO' || least_imo AS vessel_id
FROM   (SELECT mmsi, least_imo, greatest_imo FROM shown UNION ALL FROM still)
WHERE  least_imo = greatest_imo AND mmsi IN (SELECT mmsi FROM asked);
