-- gone_dark: the listed vessels that a status search has returned, and none since, although a later night
-- would have shown them there. How much that proves depends on where else that night looked: a vessel may
-- be in a status or a zone that was not searched. The last position is a sign of life like the last
-- sighting, and so is a sighting of the vessel's MMSI that could not be given to one vessel.
CREATE OR REPLACE VIEW gone_dark AS
-- nights: each night, and when its first run began
WITH nights AS (
    SELECT snapshot_date, min(started_at) AS started_at FROM runs GROUP BY snapshot_date
-- places: the searches that together look wherever this lake looks, and the last night that planned each; one with filters is among them only where none looks for all vessels
), places AS (
    SELECT sweep, max(snapshot_date) AS planned_until
    FROM   status_searches
    WHERE  filters IS NULL OR (navigational_status, coalesce(world_zone, '')) NOT IN (SELECT (navigational_status, coalesce(world_zone, '')) FROM status_searches WHERE filters IS NULL)
    GROUP BY sweep
-- looked: by night, how many of these were complete, and whether those for every status in every zone were; among hundreds of searches one is empty for the first time on nearly every night, so that this counts as complete here
), looked AS (
    SELECT s.snapshot_date, count(p.sweep) AS places,
           count(*) FILTER (s.filters IS NULL) = (SELECT sum(CASE WHEN zoned THEN (SELECT count(*) FROM world_zones) ELSE 1 END) FROM navigational_statuses) AS everywhere
    FROM   status_searches AS s
    LEFT JOIN places AS p ON p.sweep = s.sweep
    WHERE  s.state = 'complete'
    GROUP BY s.snapshot_date
-- after_night: by night, how many later ones are complete: for every place that was planned on it or later, and for the whole world
), after_night AS (
    SELECT d.snapshot_date, count(*) FILTER (n.places = d.places) AS swept_nights, count(*) FILTER (n.everywhere) AS world_nights
    FROM   (SELECT n.snapshot_date, count(*) AS places FROM nights AS n JOIN places AS p ON p.planned_until >= n.snapshot_date GROUP BY n.snapshot_date) AS d
    JOIN   looked AS n ON n.snapshot_date > d.snapshot_date
    GROUP BY d.snapshot_date
-- sighted: the last stay of each vessel that was not sighted on the last night
), sighted AS (
    SELECT vessel_id, navigational_status, world_zone, lower(search) AS sweep, last_date, last_seen
    FROM   internal.latest_stays
    WHERE  vessel_id NOT IN (SELECT vessel_id FROM internal.latest_stays WHERE last_date = (SELECT max(snapshot_date) FROM runs))
    QUALIFY row_number() OVER (PARTITION BY vessel_id ORDER BY last_seen DESC, last_date DESC, lower(search)) = 1
-- after_search: by night and search, how many later ones prove absence from the search
), after_search AS (
    SELECT n.snapshot_date, p.sweep, count(*) FILTER (s.proves_absence) OVER later AS nights, max(CASE WHEN s.proves_absence THEN s.snapshot_date END) OVER later AS last_night
    FROM   nights AS n
    JOIN   (SELECT DISTINCT sweep FROM sighted) AS p ON true
    LEFT JOIN status_searches AS s ON s.snapshot_date = n.snapshot_date AND s.sweep = p.sweep
    WINDOW later AS (PARTITION BY p.sweep ORDER BY n.snapshot_date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
-- positions_known: the latest position with a time of each vessel, under the id that it has now
), positions_known AS (
    SELECT coalesce(a.vessel_id, l.vessel_id) AS vessel_id, max(l.dated_at) AS position_at
    FROM   internal.latest AS l
    LEFT JOIN vessel_aliases AS a ON a.alias_id = l.vessel_id AND a.until IS NULL
    WHERE  coalesce(a.vessel_id, l.vessel_id) IN (SELECT vessel_id FROM sighted)
    GROUP BY ALL
-- signs: the night of the last sign of life
), signs AS (
    SELECT s.*, p.position_at, greatest(s.last_date, CASE WHEN p.position_at > s.last_seen THEN n.snapshot_date END) AS sign_date
    FROM   sighted AS s
    LEFT JOIN positions_known AS p ON p.vessel_id = s.vessel_id
    ASOF LEFT JOIN nights AS n ON n.started_at <= p.position_at
)
SELECT s.vessel_id, r.imo, r.mmsi, r.name, r.flag, {{template "category" "r"}} AS category, s.navigational_status, s.world_zone, s.last_date, s.last_seen, s.position_at,
       a.nights::INTEGER AS complete_nights_since, coalesce(w.swept_nights, 0)::INTEGER AS swept_nights_since, coalesce(w.world_nights, 0)::INTEGER AS world_nights_since, a.last_night AS absent_until,
       CASE WHEN w.world_nights > 0 THEN 'absent in every status and zone' WHEN w.swept_nights > 0 THEN 'absent wherever was searched' ELSE 'absent where it was last seen' END AS proof,
       coalesce(w.world_nights > 1, false) AS proved
FROM   signs AS s
JOIN   registration AS r ON r.vessel_id = s.vessel_id AND r.valid_to IS NULL
JOIN   after_search AS a ON a.snapshot_date = s.sign_date AND a.sweep = s.sweep AND a.nights > 0
LEFT JOIN after_night AS w ON w.snapshot_date = s.sign_date
SEMI JOIN (SELECT vessel_id FROM listed WHERE to_date IS NULL AND missing_since IS NULL) AS l ON l.vessel_id = s.vessel_id
ANTI JOIN (
    SELECT c.vessel_id, greatest(t.sighting_seen_at, t.dated_at) AS seen
    FROM   (SELECT vessel_id, mmsi FROM registration WHERE imo IS NOT NULL UNION ALL SELECT vessel_id, mmsi FROM second_mmsi_claims) AS c
    SEMI JOIN sighted ON sighted.vessel_id = c.vessel_id
    JOIN   internal.latest AS t ON t.vessel_id = 'MMSI' || c.mmsi
) AS u ON u.vessel_id = s.vessel_id AND u.seen > s.last_seen
WHERE  {{template "is_vessel" "r"}};
COMMENT ON VIEW gone_dark IS 'One row per listed vessel that was sighted and that no status search has returned since, although at least one later night covered the search that would have; vessels only. proof says how much that means: a vessel that is under way on a lake that only searches for vessels at anchor is absent where it was last seen, and not dark. Only where proved is true was it looked for in every status and zone, twice. Nights that were not covered prove nothing and are not counted. A vessel that the list misses, too, may have left it, and is not among them.';
COMMENT ON COLUMN gone_dark.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN gone_dark.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN gone_dark.mmsi IS 'The MMSI in use.';
COMMENT ON COLUMN gone_dark.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN gone_dark.flag IS 'ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN gone_dark.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN gone_dark.navigational_status IS 'The status of the last sighting; see navigational_statuses.';
COMMENT ON COLUMN gone_dark.world_zone IS 'The zone of the last sighting; null if its status is searched for worldwide.';
COMMENT ON COLUMN gone_dark.last_date IS 'The night of the last sighting.';
COMMENT ON COLUMN gone_dark.last_seen IS 'The last sighting.';
COMMENT ON COLUMN gone_dark.position_at IS 'When the latest position that has a time was observed; null if there is none. A position without a time is no sign of life: it may be old. If it is after the last sighting, nights count from it on.';
COMMENT ON COLUMN gone_dark.complete_nights_since IS 'Nights since the last sighting or position that prove that the vessel is not where it was last sighted.';
COMMENT ON COLUMN gone_dark.swept_nights_since IS 'Nights since then on which every status search that the lake has planned since was complete.';
COMMENT ON COLUMN gone_dark.world_nights_since IS 'Nights since then on which the searches for every status in every zone were complete.';
COMMENT ON COLUMN gone_dark.absent_until IS 'The last night that proves that the vessel is not where it was last sighted. What happened after it is not known.';
COMMENT ON COLUMN gone_dark.proof IS 'absent in every status and zone, absent wherever was searched (it may be where this lake never looks), or absent where it was last seen (it may have moved).';
COMMENT ON COLUMN gone_dark.proved IS 'Whether it was absent in every status and zone on two nights at least: on one, the empty answer of a search that had few vessels may be a silent fault.';
