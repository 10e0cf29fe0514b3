-- shown_as: which vessel each name is that tonight's rows without an IMO number show under a doubted MMSI; without a
-- name, whose the MMSI is now. In this order:
--   a vessel whose name or call sign agrees, and that shows its IMO number tonight, is not gone, was seen last;
--   a vessel that nothing speaks against, likewise;
--   a vessel of her own. Her id is the MMSI alone if no vessel had it, or else the MMSI with a number after it: these are
--   given night by night, so that a rebuild gives the same again.
-- reads: claimants, lake_identities, mmsi_doubted, registration
-- makes: shown_as
-- columns: mmsi VARCHAR, name VARCHAR, vessel_id VARCHAR
-- needs: mmsi_doubted
CREATE OR REPLACE TEMP TABLE shown_as AS
WITH shown AS (
    SELECT mmsi, name, max(callsign) AS callsign, max(vessel_type) AS vessel_type, max(category) AS category
    FROM   lake_identities
    WHERE  imo IS NULL AND mmsi IN (FROM mmsi_doubted) AND name IS NOT NULL
    GROUP BY mmsi, name
    UNION ALL
    SELECT mmsi, NULL, NULL, NULL, NULL FROM mmsi_doubted
-- judged: each of these beside each vessel that it may be
), judged AS (
    SELECT s.mmsi, s.name, c.vessel_id, bool_or(coalesce(internal.one_name(s.name, c.name), false) OR coalesce(s.callsign = c.callsign, false)) AS agrees,
           bool_and({{template "another"}}) AS another, bool_or(c.tonight) AS tonight, bool_and(c.departed) AS departed, max(c.last_seen) AS last_seen
    FROM   shown AS s
    JOIN   claimants AS c ON c.mmsi = s.mmsi
    GROUP BY s.mmsi, s.name, c.vessel_id
), known AS (
    SELECT mmsi, name, vessel_id, departed
    FROM   judged
    WHERE  NOT another
    QUALIFY row_number() OVER (PARTITION BY mmsi, name ORDER BY agrees DESC, tonight DESC, departed, last_seen DESC, vessel_id) = 1
-- strangers: the ships that are none of the vessels; those that can be one ship are the first of them
), strangers AS (
    SELECT s.mmsi, s.name, CASE WHEN {{template "unlike" dict "a" "s" "b" "f"}} THEN s.name ELSE f.name END AS ship
    FROM   shown AS s
    ANTI JOIN known AS k ON k.mmsi = s.mmsi AND k.name = s.name
    JOIN   (FROM shown AS s ANTI JOIN known AS k ON k.mmsi = s.mmsi AND k.name = s.name WHERE s.name IS NOT NULL QUALIFY row_number() OVER (PARTITION BY s.mmsi ORDER BY s.name) = 1) AS f ON f.mmsi = s.mmsi
    WHERE  s.name IS NOT NULL
-- used: how many vessels have an id of each of these MMSIs
), used AS (
    SELECT vessel_number, count(DISTINCT vessel_id) AS ids
    FROM   registration
    WHERE  vessel_number IN (SELECT mmsi::INTEGER FROM strangers) AND starts_with(vessel_id, 'MMSI')
    GROUP BY vessel_number
), named AS (
    SELECT n.mmsi, n.name, 'MMSI' || n.mmsi || coalesce('.' || nullif(coalesce(u.ids, 0) + dense_rank() OVER (PARTITION BY n.mmsi ORDER BY n.ship), 1), '') AS vessel_id
    FROM   strangers AS n
    LEFT JOIN used AS u ON u.vessel_number = n.mmsi::INTEGER
)
SELECT mmsi, name, vessel_id FROM named
UNION ALL
SELECT k.mmsi, k.name, CASE WHEN k.name IS NULL AND k.departed THEN coalesce(n.vessel_id, k.vessel_id) ELSE k.vessel_id END
FROM   known AS k
LEFT JOIN (SELECT mmsi, min(vessel_id) AS vessel_id FROM named GROUP BY mmsi) AS n ON n.mmsi = k.mmsi;
