-- find: the vessels that an id or an MMSI stands for, the likeliest first: the vessel whose MMSI in use
-- it is, and of several the one that was seen last, the vessel that the id is an alias of, the vessel with the id,
-- and those that had the MMSI earlier or have it beside another.
SELECT vessel_id
FROM (
    SELECT vessel_id, 2 AS place, NULL AS last_seen FROM vessel_aliases WHERE alias_id = $id AND until IS NULL
    UNION ALL
    SELECT vessel_id, 3, NULL FROM registration WHERE vessel_number = $number AND vessel_id = $id
    UNION ALL
    SELECT vessel_id, CASE WHEN valid_to IS NULL THEN 1 ELSE 4 END, CASE WHEN valid_to IS NULL THEN last_seen END FROM registration WHERE $mmsi <> '' AND mmsi = $mmsi
    UNION ALL
    SELECT vessel_id, 4, NULL FROM second_mmsi_claims WHERE mmsi = $mmsi
)
ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS a ON a.alias_id = vessel_id
GROUP BY vessel_id
ORDER BY min(place), max(last_seen) DESC NULLS LAST, vessel_id;
