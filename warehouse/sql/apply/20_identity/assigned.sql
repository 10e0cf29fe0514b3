-- assigned: the vessels that names stand for of which the number alone does not say it, by the id that the number gives them.
-- reads: imo_slips, links, mmsi_holder, shown_as
-- makes: assigned
-- columns: number_id VARCHAR, name VARCHAR, vessel_id VARCHAR, slip BOOLEAN
-- needs: mmsi_doubted or imo_slips
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT 'MMSI' || s.mmsi AS number_id, s.name, coalesce(k.vessel_id, s.vessel_id) AS vessel_id, false AS slip
FROM   shown_as AS s
LEFT JOIN links AS k ON k.proved AND k.shown_id = s.vessel_id
WHERE  s.name IS NOT NULL
UNION ALL
SELECT DISTINCT 'IMO' || lpad(s.imo::VARCHAR, 7, '0'), s.name, coalesce(a.vessel_id, h.vessel_id, 'MMSI' || s.mmsi), true
FROM   imo_slips AS s
LEFT JOIN shown_as AS a ON a.mmsi = s.mmsi AND a.name = s.name
LEFT JOIN mmsi_holder AS h ON h.mmsi_id = 'MMSI' || s.mmsi;
