-- stays_recomputed: the vessels of which tonight changes more than their latest stays, so that their whole
-- history is computed again. They have another id since tonight; or a stay continues after nights that did
-- not see the vessel there, in which another one began.
-- reads: internal.latest_stays, runs, stays_continued, vessel_aliases
-- makes: stays_recomputed
-- needs: sighted or vessel_aliases WHERE snapshot_date = $date
CREATE OR REPLACE TEMP TABLE stays_recomputed AS
WITH interrupted AS (
    SELECT vessel_id, last_date_before
    FROM   stays_continued
    WHERE  last_date_before < (SELECT max(snapshot_date) FROM runs WHERE snapshot_date < $date)
), vessels_recomputed AS (
    SELECT unnest([alias_id, vessel_id]) AS vessel_id FROM vessel_aliases WHERE snapshot_date = $date
    UNION
    SELECT unnest([vessel_before, vessel_id, known_as]) FROM stays_continued WHERE rid IS NULL OR vessel_before <> vessel_id
    UNION
    SELECT a.vessel_id FROM vessel_aliases AS a JOIN stays_continued AS c ON c.known_as = a.alias_id AND c.rid IS NULL
    UNION
    SELECT i.vessel_id
    FROM   interrupted AS i
    JOIN   (SELECT vessel_id, max(first_date) AS zone_since FROM internal.latest_stays WHERE world_zone IS NOT NULL GROUP BY vessel_id) AS z ON z.vessel_id = i.vessel_id AND i.last_date_before < z.zone_since
)
SELECT vessel_id, internal.number_of(vessel_id) AS vessel_number FROM vessels_recomputed WHERE vessel_id IS NOT NULL;
