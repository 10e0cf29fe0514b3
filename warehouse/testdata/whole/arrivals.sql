-- arrivals: the vessels that came to a zone, and what shows that they were not there before. A stay that
-- nothing shows to have begun is none, and neither is a new status in the same zone. On the first night
-- that covers a zone nobody arrives: those who are there may have come long before. The order of the sightings of one night says nothing: a vessel that crosses a border
-- during the night is found on both sides.
CREATE OR REPLACE VIEW arrivals AS
-- stays: each stay, and what is known of the stays that began before: until when the vessel was in the zone (here_until), and since and until when it was in any zone and in a status without one
WITH stays AS (
    SELECT *, max(last_date) OVER here AS here_until,
           max(first_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_since, max(last_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_until,
           max(last_date) FILTER (world_zone IS NULL) OVER earlier AS worldwide_until, arg_max(world_zone, last_seen) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_before
    FROM   vessel_episodes
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY first_seen, sweep ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           earlier AS (PARTITION BY vessel_id ORDER BY first_date RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 1 DAY PRECEDING)
-- known: the last night before the stay on which the vessel was seen in another zone, and was provably in no status of this one
), known AS (
    SELECT s.*, CASE WHEN zone_until < first_date AND (here_until IS NULL OR zone_until > here_until) THEN zone_until
                     WHEN here_until IS NULL OR zone_since > here_until THEN zone_since END AS elsewhere_on,
           CASE WHEN p.zone_proven_before > coalesce(greatest(here_until, worldwide_until), DATE '0001-01-01') THEN p.zone_proven_before END AS absent_on,
           CASE WHEN here_until IS NULL THEN p.proven_before END AS not_in_search_on
    FROM   stays AS s
    JOIN   (SELECT world_zone, min(snapshot_date) AS since FROM status_searches WHERE proves_absence GROUP BY world_zone) AS z ON z.world_zone = s.world_zone AND z.since < s.first_date
    LEFT JOIN status_searches AS p ON p.sweep = s.sweep AND p.snapshot_date = s.first_date
)
SELECT k.first_date AS snapshot_date, k.world_zone, k.vessel_id, r.imo, r.name, r.flag, {{template "category" "r"}} AS category, k.navigational_status,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN k.zone_before END AS from_zone,
       coalesce(greatest(k.elsewhere_on, k.absent_on), k.not_in_search_on) AS not_before,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN k.absent_on IS NOT NULL THEN 'absent in every status' ELSE 'absent in that status' END AS proof,
       k.elsewhere_on IS NOT NULL OR k.absent_on IS NOT NULL AS proved,
       k.first_seen, k.run_id, k.entry
FROM   known AS k
JOIN   registration AS r ON r.vessel_id = k.vessel_id AND r.valid_to IS NULL
WHERE  coalesce(k.elsewhere_on, k.absent_on, k.not_in_search_on) IS NOT NULL AND {{template "is_vessel" "r"}};
