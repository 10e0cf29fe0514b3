-- positions_fresh: tonight's positions that are not stored yet. A position has coordinates, and the time that the service
-- gives it or none. An answer with a time that is known, or without one as the latest, is a row if it has a
-- value that the stored position of that time has not: a ship may report another destination, and the
-- service another draught, for the same position. Nearly all of tonight's positions are as new as the latest of
-- their vessel or newer, so that internal.latest is compared with; the whole table is read only for those that
-- are older.
-- reads: internal.latest, night_positions, positions
-- makes: positions_fresh
-- columns: SELECT * FROM night_positions
-- needs: night_positions
CREATE OR REPLACE TEMP TABLE positions_fresh AS
-- answered: tonight's positions, each with the one before it that has the same time
WITH answered AS (
    SELECT *, {{template "position"}} AS place, lag(place) OVER (PARTITION BY vessel_id, position_at ORDER BY seen_at, run_id, entry) AS before
    FROM   night_positions
    WHERE  latitude IS NOT NULL AND longitude IS NOT NULL
-- latest: the latest stored position
), latest AS (
    SELECT vessel_id, position_at, {{template "position" "reported_status"}} AS place
    FROM   internal.latest
    WHERE  latitude IS NOT NULL
-- older: those that are dated before it
), older AS (
    SELECT DISTINCT a.vessel_id, a.position_at, internal.number_of(a.vessel_id) AS vessel_number
    FROM   answered AS a
    JOIN   internal.latest AS l ON l.vessel_id = a.vessel_id
    WHERE  a.before IS NULL AND a.position_at <= l.dated_at AND a.position_at IS DISTINCT FROM l.position_at
-- stored: what was stored last of each
), stored AS (
    SELECT p.vessel_id, p.position_at, {{template "position"}} AS place
    FROM   positions AS p
    SEMI JOIN older AS o ON o.vessel_number = p.vessel_number AND o.vessel_id = p.vessel_id AND o.position_at = p.position_at
    QUALIFY row_number() OVER (PARTITION BY p.vessel_id, p.position_at ORDER BY p.seen_at DESC, p.run_id DESC, p.entry DESC) = 1
)
SELECT a.* EXCLUDE (place, before)
FROM   answered AS a
LEFT JOIN latest AS l ON l.vessel_id = a.vessel_id AND l.position_at IS NOT DISTINCT FROM a.position_at
LEFT JOIN stored AS s ON s.vessel_id = a.vessel_id AND s.position_at = a.position_at
WHERE  coalesce(a.before, l.place, s.place) IS NULL
   OR  {{template "tells_more" dict "of" "a.place" "than" "coalesce(a.before, l.place, s.place)"}};
