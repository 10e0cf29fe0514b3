-- imo_slips: the names that tonight's rows show under an IMO number that is another ship's. Nothing of the vessel with the
-- number is the same, not even the MMSI, and
--   her type is another, too, and earlier nights have confirmed what is known of the vessel with the number; or
--   tonight's rows have that vessel as well, and the MMSI and the name are those of a third.
-- A vessel that was not seen for a week has no say: the other may be she.
-- reads: lake_numbers, registration, renumbered
-- makes: imo_slips
-- columns: imo INTEGER, mmsi VARCHAR, name VARCHAR, run_id VARCHAR, entry INTEGER
-- needs: renumbered
CREATE OR REPLACE TEMP TABLE imo_slips AS
WITH shown AS (
    SELECT imo, mmsi, name, max(callsign) AS callsign, max(vessel_type) AS vessel_type, max(category) AS category, arg_min(run_id, seen_at) AS run_id, arg_min(entry, seen_at) AS entry
    FROM   lake_numbers
    WHERE  imo IN (FROM renumbered) AND name IS NOT NULL
    GROUP BY imo, mmsi, name
), known AS (
    SELECT imo, mmsi, name, callsign, vessel_type, category, known_since, last_seen
    FROM   registration
    WHERE  vessel_number IN (FROM renumbered) AND imo IS NOT NULL AND valid_to IS NULL AND last_seen > $date::DATE - 7
)
SELECT s.imo, s.mmsi, s.name, s.run_id, s.entry
FROM   shown AS s
JOIN   known AS c ON c.imo = s.imo AND c.mmsi <> s.mmsi
WHERE  NOT internal.one_name(s.name, c.name) AND NOT coalesce(s.callsign = c.callsign, false)
  AND  (    s.vessel_type <> c.vessel_type AND s.category <> c.category AND c.known_since::DATE < c.last_seen::DATE
         OR EXISTS (FROM shown AS o WHERE o.imo = s.imo AND o.mmsi = c.mmsi)
            AND EXISTS (FROM registration AS b WHERE b.mmsi = s.mmsi AND b.imo IS DISTINCT FROM s.imo AND b.valid_to IS NULL AND internal.one_name(b.name, s.name)));
