-- positions_fresh: tonight's positions that are not stored yet. A position has coordinates;
-- if it has no time, the time of its answer counts.
-- reads: night_positions, positions
-- makes: positions_fresh
-- columns: SELECT * FROM night_positions
-- needs: night_positions
CREATE OR REPLACE TEMP TABLE positions_fresh AS
SELECT * REPLACE (coalesce(position_at, seen_at) AS position_at)
FROM   night_positions AS n
WHERE  latitude IS NOT NULL AND longitude IS NOT NULL
  AND  NOT EXISTS (FROM positions AS p WHERE p.vessel_id = n.vessel_id AND p.position_at = coalesce(n.position_at, n.seen_at))
QUALIFY row_number() OVER (PARTITION BY vessel_id, coalesce(position_at, seen_at) ORDER BY seen_at DESC, run_id DESC, entry DESC) = 1;
