-- Vessels whose MMSI was assigned by another country than that of their flag.
-- The first three digits of a ship's MMSI name the country. The vessel was just reflagged, an entry
-- is wrong, or somebody sails under a number that is not theirs.
SELECT v.vessel_id, v.name, v.mmsi, v.flag, string_agg(DISTINCT d.flag, ' ' ORDER BY d.flag) AS flags_of_the_digits, (v.registration_seen_at AT TIME ZONE 'UTC')::DATE AS seen
FROM   vessels AS v
JOIN   maritime_identification_digits AS d ON d.digits = v.mmsi[:3]
WHERE  v.listed AND v.flag IS NOT NULL
GROUP BY ALL
HAVING NOT bool_or(d.flag = v.flag)
ORDER BY v.flag, v.vessel_id;
