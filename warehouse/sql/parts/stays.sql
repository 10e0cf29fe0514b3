-- What the stays of a vessel say of its arrivals and departures. The argument of each part is a table of
-- stays with the columns of internal.latest_stays, under the ids that the vessels have now.

-- present_id: stays in a status, as e, under the id that the vessel has now. What was seen of an MMSI before
-- its IMO number was reported belongs to the vessel with that IMO number; what was seen of the same MMSI
-- after that number had gone to another vessel does not. The conditions are comparisons alone: with an OR among
-- them DuckDB compares each stay with each alias.
{{define "present_id" -}}
LEFT JOIN (SELECT alias_id, vessel_id, since, coalesce(lag(since) OVER (PARTITION BY alias_id ORDER BY since), '-infinity') AS since_before FROM vessel_aliases) AS a
       ON a.alias_id = e.vessel_id AND e.last_seen <= a.since AND e.last_seen > a.since_before
{{- end}}

-- arrived: the stays in zones that began with an arrival, and what shows it.
{{define "arrived" -}}
-- stays: each stay, and what is known of the stays that began before: until when the vessel was in the zone (here_until), since and until when it was in any zone and in a status without one,
-- where it was last, and where it came to last: later nights still see it there, so that only the latter says where it was before
WITH stays AS (
    SELECT *, max(last_date) OVER here AS here_until,
           max(first_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_since, max(last_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_until,
           max(last_date) FILTER (world_zone IS NULL) OVER earlier AS worldwide_until,
           arg_max(world_zone, last_seen) FILTER (world_zone IS NOT NULL) OVER earlier AS last_zone, arg_max(world_zone, first_seen) FILTER (world_zone IS NOT NULL) OVER earlier AS latest_zone
    FROM   {{.}}
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY first_seen, lower(search) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           earlier AS (PARTITION BY vessel_id ORDER BY first_date RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 1 DAY PRECEDING)
-- proved: the last night before the stay on which the vessel was seen in another zone, and was provably in no status of this one
), proved AS (
    SELECT s.*, CASE WHEN zone_until < first_date AND (here_until IS NULL OR zone_until > here_until) THEN zone_until
                     WHEN here_until IS NULL OR zone_since > here_until THEN zone_since END AS elsewhere_on,
           CASE WHEN p.zone_proven_before > coalesce(greatest(here_until, worldwide_until), DATE '0001-01-01') THEN p.zone_proven_before END AS absent_on,
           CASE WHEN here_until IS NULL THEN p.proven_before END AS not_in_search_on
    FROM   stays AS s
    JOIN   (SELECT world_zone, min(snapshot_date) AS since FROM internal.searches WHERE proves_absence GROUP BY world_zone) AS z ON z.world_zone = s.world_zone AND z.since < s.first_date
    LEFT JOIN internal.searches AS p ON p.sweep = lower(s.search) AND p.snapshot_date = s.first_date
)
SELECT *, CASE WHEN elsewhere_on IS NOT NULL THEN if(zone_until < first_date, last_zone, latest_zone) END AS from_zone, coalesce(greatest(elsewhere_on, absent_on), not_in_search_on) AS not_before,
       CASE WHEN elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN absent_on IS NOT NULL THEN 'not seen in any status' ELSE 'not seen in that status' END AS proof
FROM   proved
WHERE  coalesce(elsewhere_on, absent_on, not_in_search_on) IS NOT NULL
{{- end}}

-- departed: the stays in zones, when each ended with a departure (left_on, null if nothing shows one), and
-- whether that is settled: whatever a later night sees, it stays as it is. A stay that was last seen before
-- the vessel's latest stay in a zone began is over. What ends it is settled, too, if no stay that began
-- before goes on after it, or if that is over.
{{define "departed" -}}
-- stays: each stay, and what is known of the stays that ended after: since when the vessel was in the zone (here_from), and since and until when it was in any zone and in a status without one
WITH stays AS (
    SELECT *, min(first_date) OVER here AS here_from,
           min(first_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_from, min(last_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_until,
           min(first_date) FILTER (world_zone IS NULL) OVER later AS worldwide_from, arg_min(world_zone, first_seen) FILTER (world_zone IS NOT NULL) OVER later AS zone_after,
           max(first_date) FILTER (world_zone IS NOT NULL) OVER whole AS latest_from, max(first_date) OVER whole AS latest_of_all_from
    FROM   {{.}}
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY last_seen, lower(search) ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
           later AS (PARTITION BY vessel_id ORDER BY last_date RANGE BETWEEN INTERVAL 1 DAY FOLLOWING AND UNBOUNDED FOLLOWING),
           whole AS (PARTITION BY vessel_id)
-- proved: the first night after the stay on which the vessel was seen in another zone, and was provably in no status of this one
), proved AS (
    SELECT s.*, CASE WHEN zone_from > s.last_date AND (here_from IS NULL OR zone_from < here_from) THEN zone_from
                     WHEN here_from IS NULL OR zone_until < here_from THEN zone_until END AS elsewhere_on,
           CASE WHEN p.zone_proven_after < coalesce(least(here_from, worldwide_from), DATE '9999-12-31') THEN p.zone_proven_after END AS absent_on,
           CASE WHEN here_from IS NULL THEN p.proven_after END AS not_in_search_on,
           CASE WHEN s.world_zone IS NULL THEN s.last_date < latest_of_all_from
                ELSE coalesce(s.last_date < latest_from AND (zone_from > s.last_date OR zone_until < latest_from), false) END AS settled
    FROM   stays AS s
    LEFT JOIN internal.searches AS p ON p.sweep = lower(s.search) AND p.snapshot_date = s.last_date
)
SELECT *, CASE WHEN world_zone IS NOT NULL THEN coalesce(least(elsewhere_on, absent_on), not_in_search_on) END AS left_on,
       CASE WHEN elsewhere_on IS NOT NULL THEN zone_after END AS to_zone,
       CASE WHEN elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN absent_on IS NOT NULL THEN 'not seen in any status' ELSE 'not seen in that status' END AS proof
FROM   proved
{{- end}}
