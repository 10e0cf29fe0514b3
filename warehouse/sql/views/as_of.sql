-- as_of: macros that compute an earlier state from the intervals. They are part of the file, so that
-- every reader has them.
CREATE OR REPLACE MACRO fleet_on(night) AS TABLE
SELECT r.vessel_id, r.imo, r.mmsi, r.name, r.callsign, r.flag, r.country, r.ship_type, r.vessel_type, r.category, r.is_vessel,
       l.from_date AS listed_since, r.valid_from AS registered_since, r.run_id
FROM   listed AS l
JOIN   registration AS r ON r.vessel_id = l.vessel_id
WHERE  l.from_date <= night::DATE AND (l.to_date IS NULL OR l.to_date >= night::DATE)
  AND  r.snapshot_date <= night::DATE AND (r.closed_date IS NULL OR r.closed_date > night::DATE);
COMMENT ON MACRO TABLE fleet_on IS 'fleet_on(night): the vessels that were on the list on a night, each with its registration as of then. A vessel that was not observed that night, and not proved to have left, counts as listed.';

CREATE OR REPLACE MACRO vessels_as_of(moment) AS TABLE
SELECT r.vessel_id, r.imo, r.mmsi, r.name, r.callsign, r.flag, r.country, r.vessel_type, r.category, r.is_vessel,
       p.length_m, p.beam_m, p.deadweight_t, p.gross_tonnage, p.net_tonnage, p.teu, p.year_built,
       m.manager, m.registered_owner, m.class_society,
       l.vessel_id IS NOT NULL AS listed,
       coalesce(r.known_since, r.first_seen) AS first_seen,
       r.run_id
FROM   registration AS r
LEFT JOIN particulars AS p ON p.vessel_id = r.vessel_id AND p.valid_from <= moment::TIMESTAMPTZ AND (p.valid_to IS NULL OR p.valid_to > moment::TIMESTAMPTZ)
LEFT JOIN management AS m ON m.vessel_id = r.vessel_id AND m.valid_from <= moment::TIMESTAMPTZ AND (m.valid_to IS NULL OR m.valid_to > moment::TIMESTAMPTZ)
LEFT JOIN (
    SELECT vessel_id
    FROM   listed, (SELECT max(snapshot_date) AS night FROM runs WHERE started_at <= moment::TIMESTAMPTZ) AS n
    WHERE  from_date <= night AND (to_date IS NULL OR to_date >= night)
) AS l ON l.vessel_id = r.vessel_id
WHERE  r.valid_from <= moment::TIMESTAMPTZ AND (r.valid_to IS NULL OR r.valid_to > moment::TIMESTAMPTZ);
COMMENT ON MACRO TABLE vessels_as_of IS 'vessels_as_of(moment): one row per vessel as it was known at a moment, with the columns of vessels that are kept as intervals. listed is of the last night that had begun.';
