-- stays_known: what decides of the arrivals and departures of those vessels: the latest stays before tonight
-- and those that began tonight, or all stays of a vessel that is computed again. Over says that a later stay
-- of the same id in the same search has begun.
-- reads: episodes, internal.latest_stays, stays_moved, stays_recomputed, stays_tonight, vessel_aliases
-- makes: stays_known
-- needs: stays_moved
-- after: latest_stays_continue
CREATE OR REPLACE TEMP TABLE stays_known AS
WITH known AS (
    SELECT vessel_id, known_as, search, navigational_status, world_zone, first_seen, last_seen, first_date, last_date, NULL AS run_id, NULL AS entry, false AS arrives
    FROM   internal.latest_stays
    SEMI JOIN stays_moved USING (vessel_id)
    ANTI JOIN stays_recomputed USING (vessel_id)
    UNION ALL
    SELECT vessel_id, known_as, search, navigational_status, world_zone, first_seen, last_seen, $date::DATE, $date::DATE, run_id, entry, true
    FROM   (FROM stays_tonight WHERE opened)
    ANTI JOIN stays_recomputed USING (vessel_id)
    UNION ALL
    SELECT coalesce(a.vessel_id, e.vessel_id), e.vessel_id, e.sweep, e.navigational_status, e.world_zone, e.first_seen, e.last_seen, e.first_date, e.last_date, e.run_id, e.entry, true
    FROM   (FROM episodes WHERE vessel_number IN (
               SELECT vessel_number FROM stays_recomputed
               UNION ALL
               SELECT internal.number_of(alias_id) FROM vessel_aliases SEMI JOIN stays_recomputed USING (vessel_id))) AS e
    {{template "present_id"}}
    WHERE  coalesce(a.vessel_id, e.vessel_id) IN (SELECT vessel_id FROM stays_recomputed)
)
SELECT *, lead(first_seen) OVER (PARTITION BY known_as, search ORDER BY first_seen) IS NOT NULL AS over FROM known;
