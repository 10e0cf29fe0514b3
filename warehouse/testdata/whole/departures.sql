-- departures: the vessels that left a zone, and what shows that they did: they were seen in another one
-- later, or a later night was covered and did not find them. A vessel of which no later night proves
-- anything was not seen, and has not left; neither has one that is in another status of the zone. The
-- rules are those of arrivals, read from the end.
CREATE OR REPLACE VIEW departures AS
-- stays: each stay, and what is known of the stays that ended after: since when the vessel was in the zone (here_from), and since and until when it was in any zone and in a status without one
WITH stays AS (
    SELECT *, min(first_date) OVER here AS here_from,
           min(first_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_from, min(last_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_until,
           min(first_date) FILTER (world_zone IS NULL) OVER later AS worldwide_from, arg_min(world_zone, first_seen) FILTER (world_zone IS NOT NULL) OVER later AS zone_after
    FROM   vessel_episodes
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY last_seen, sweep ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
           later AS (PARTITION BY vessel_id ORDER BY last_date RANGE BETWEEN INTERVAL 1 DAY FOLLOWING AND UNBOUNDED FOLLOWING)
-- known: the first night after the stay on which the vessel was seen in another zone, and was provably in no status of this one
), known AS (
    SELECT s.*, CASE WHEN zone_from > s.last_date AND (here_from IS NULL OR zone_from < here_from) THEN zone_from
                     WHEN here_from IS NULL OR zone_until < here_from THEN zone_until END AS elsewhere_on,
           CASE WHEN p.zone_proven_after < coalesce(least(here_from, worldwide_from), DATE '9999-12-31') THEN p.zone_proven_after END AS absent_on,
           CASE WHEN here_from IS NULL THEN p.proven_after END AS not_in_search_on
    FROM   stays AS s
    LEFT JOIN status_searches AS p ON p.sweep = s.sweep AND p.snapshot_date = s.last_date
    WHERE  s.world_zone IS NOT NULL
)
SELECT coalesce(least(k.elsewhere_on, k.absent_on), k.not_in_search_on) AS snapshot_date, k.world_zone, k.vessel_id, r.imo, r.name, r.flag, {{template "category" "r"}} AS category, k.navigational_status,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN k.zone_after END AS to_zone,
       k.last_date AS not_before,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN k.absent_on IS NOT NULL THEN 'absent in every status' ELSE 'absent in that status' END AS proof,
       k.elsewhere_on IS NOT NULL OR k.absent_on IS NOT NULL AS proved,
       k.last_seen
FROM   known AS k
JOIN   registration AS r ON r.vessel_id = k.vessel_id AND r.valid_to IS NULL
WHERE  coalesce(k.elsewhere_on, k.absent_on, k.not_in_search_on) IS NOT NULL AND {{template "is_vessel" "r"}};
