-- The views over tables that each night extends, and those below them, as statements over the whole history:
-- what the tables must say.
CREATE TEMP VIEW whole_status_searches AS
WITH planned AS (
    SELECT snapshot_date, lower(trim(value)) AS sweep, any_value(navigational_status) AS navigational_status, any_value(world_zone) AS world_zone,
           nullif(split_part(lower(trim(value)), '?', 2), '') AS filters,
           arg_max(state, {place: CASE state WHEN 'complete' THEN 3 WHEN 'failed' THEN 1 WHEN 'skipped' THEN 0 ELSE 2 END, run_id: run_id}) AS state,
           max(received_rows) AS received_rows
    FROM   coverage
    WHERE  kind = 'status'
    GROUP BY snapshot_date, lower(trim(value))
), answered AS (
    SELECT *, state = 'complete' AND (received_rows > 0 OR coalesce(lag(CASE WHEN state NOT IN ('failed', 'skipped') THEN received_rows END IGNORE NULLS) OVER (PARTITION BY sweep ORDER BY snapshot_date), 0) = 0) AS proves_absence
    FROM   planned
), statuses AS (
    SELECT snapshot_date, world_zone, count(*) AS statuses FROM answered WHERE proves_absence AND filters IS NULL GROUP BY snapshot_date, world_zone
), zones AS (
    SELECT z.snapshot_date, z.world_zone
    FROM   statuses AS z
    JOIN   statuses AS w ON w.snapshot_date = z.snapshot_date AND w.world_zone IS NULL
    JOIN   (SELECT count(*) FILTER (zoned) AS zoned, count(*) FILTER (NOT zoned) AS worldwide FROM navigational_statuses) AS n ON n.zoned = z.statuses AND n.worldwide = w.statuses
    WHERE  z.world_zone IS NOT NULL
)
SELECT a.*, max(CASE WHEN a.proves_absence THEN a.snapshot_date END) OVER earlier AS proven_before, min(CASE WHEN a.proves_absence THEN a.snapshot_date END) OVER later AS proven_after,
       max(z.snapshot_date) OVER earlier AS zone_proven_before, min(z.snapshot_date) OVER later AS zone_proven_after
FROM   answered AS a
LEFT JOIN zones AS z ON z.snapshot_date = a.snapshot_date AND z.world_zone = a.world_zone
WINDOW earlier AS (PARTITION BY a.sweep ORDER BY a.snapshot_date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
       later AS (PARTITION BY a.sweep ORDER BY a.snapshot_date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING);
CREATE TEMP VIEW whole_vessel_episodes AS
SELECT coalesce(a.vessel_id, e.vessel_id) AS vessel_id, e.navigational_status, e.world_zone, lower(e.sweep) AS sweep,
       e.first_seen, e.last_seen, e.first_date, e.last_date, e.nights, e.nights_unseen, e.run_id, e.entry
FROM   episodes AS e
LEFT JOIN (SELECT alias_id, vessel_id, since, lag(since) OVER (PARTITION BY alias_id ORDER BY since) AS since_before FROM vessel_aliases) AS a
       ON a.alias_id = e.vessel_id AND e.last_seen <= a.since AND (a.since_before IS NULL OR e.last_seen > a.since_before);
CREATE TEMP VIEW whole_confirmed_changes AS
WITH aliases AS (
    SELECT a.alias_id, a.vessel_id, a.since, lag(a.since) OVER (PARTITION BY a.alias_id ORDER BY a.since) AS since_before, r.registered_on
    FROM   vessel_aliases AS a
    JOIN   (SELECT vessel_id, min(snapshot_date) AS registered_on FROM registration GROUP BY vessel_id) AS r USING (vessel_id)
)
SELECT coalesce(a.vessel_id, c.vessel_id) AS vessel_id, c.dataset, c.field, c.old_value, c.new_value, c.seen_before, c.seen_after, c.snapshot_date,
       c.respelled, c.run_id, c.entry
FROM   changes AS c
LEFT JOIN aliases AS a ON a.alias_id = c.vessel_id AND c.seen_after <= a.since AND (a.since_before IS NULL OR c.seen_after > a.since_before)
WHERE  c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
  AND  (a.registered_on IS NULL OR c.snapshot_date < a.registered_on);
CREATE TEMP VIEW whole_arrivals AS
WITH stays AS (
    SELECT *, max(last_date) OVER here AS here_until,
           max(first_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_since, max(last_date) FILTER (world_zone IS NOT NULL) OVER earlier AS zone_until,
           max(last_date) FILTER (world_zone IS NULL) OVER earlier AS worldwide_until, arg_max(world_zone, last_seen) FILTER (world_zone IS NOT NULL) OVER earlier AS last_zone,
           arg_max(world_zone, first_seen) FILTER (world_zone IS NOT NULL) OVER earlier AS latest_zone
    FROM   whole_vessel_episodes
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY first_seen, sweep ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           earlier AS (PARTITION BY vessel_id ORDER BY first_date RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 1 DAY PRECEDING)
), known AS (
    SELECT s.*, CASE WHEN zone_until < first_date AND (here_until IS NULL OR zone_until > here_until) THEN zone_until
                     WHEN here_until IS NULL OR zone_since > here_until THEN zone_since END AS elsewhere_on,
           CASE WHEN p.zone_proven_before > coalesce(greatest(here_until, worldwide_until), DATE '0001-01-01') THEN p.zone_proven_before END AS absent_on,
           CASE WHEN here_until IS NULL THEN p.proven_before END AS not_in_search_on
    FROM   stays AS s
    JOIN   (SELECT world_zone, min(snapshot_date) AS since FROM whole_status_searches WHERE proves_absence GROUP BY world_zone) AS z ON z.world_zone = s.world_zone AND z.since < s.first_date
    LEFT JOIN whole_status_searches AS p ON p.sweep = s.sweep AND p.snapshot_date = s.first_date
)
SELECT k.first_date AS snapshot_date, k.world_zone, k.vessel_id, r.imo, r.name, r.flag, coalesce(r.category, 'unknown') AS category, k.navigational_status,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN if(k.zone_until < k.first_date, k.last_zone, k.latest_zone) END AS from_zone,
       coalesce(greatest(k.elsewhere_on, k.absent_on), k.not_in_search_on) AS not_before,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN k.absent_on IS NOT NULL THEN 'not seen in any status' ELSE 'not seen in that status' END AS proof,
       k.elsewhere_on IS NOT NULL AS proved,
       k.first_seen, k.run_id, k.entry
FROM   known AS k
JOIN   registration AS r ON r.vessel_id = k.vessel_id AND r.valid_to IS NULL
WHERE  coalesce(k.elsewhere_on, k.absent_on, k.not_in_search_on) IS NOT NULL AND (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false)));
CREATE TEMP VIEW whole_departures AS
WITH stays AS (
    SELECT *, min(first_date) OVER here AS here_from,
           min(first_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_from, min(last_date) FILTER (world_zone IS NOT NULL) OVER later AS zone_until,
           min(first_date) FILTER (world_zone IS NULL) OVER later AS worldwide_from, arg_min(world_zone, first_seen) FILTER (world_zone IS NOT NULL) OVER later AS zone_after
    FROM   whole_vessel_episodes
    WINDOW here AS (PARTITION BY vessel_id, world_zone ORDER BY last_seen, sweep ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING),
           later AS (PARTITION BY vessel_id ORDER BY last_date RANGE BETWEEN INTERVAL 1 DAY FOLLOWING AND UNBOUNDED FOLLOWING)
), known AS (
    SELECT s.*, CASE WHEN zone_from > s.last_date AND (here_from IS NULL OR zone_from < here_from) THEN zone_from
                     WHEN here_from IS NULL OR zone_until < here_from THEN zone_until END AS elsewhere_on,
           CASE WHEN p.zone_proven_after < coalesce(least(here_from, worldwide_from), DATE '9999-12-31') THEN p.zone_proven_after END AS absent_on,
           CASE WHEN here_from IS NULL THEN p.proven_after END AS not_in_search_on
    FROM   stays AS s
    LEFT JOIN whole_status_searches AS p ON p.sweep = s.sweep AND p.snapshot_date = s.last_date
    WHERE  s.world_zone IS NOT NULL
)
SELECT coalesce(least(k.elsewhere_on, k.absent_on), k.not_in_search_on) AS snapshot_date, k.world_zone, k.vessel_id, r.imo, r.name, r.flag, coalesce(r.category, 'unknown') AS category, k.navigational_status,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN k.zone_after END AS to_zone,
       k.last_date AS not_before,
       CASE WHEN k.elsewhere_on IS NOT NULL THEN 'seen in another zone' WHEN k.absent_on IS NOT NULL THEN 'not seen in any status' ELSE 'not seen in that status' END AS proof,
       k.elsewhere_on IS NOT NULL AS proved,
       k.last_seen
FROM   known AS k
JOIN   registration AS r ON r.vessel_id = k.vessel_id AND r.valid_to IS NULL
WHERE  coalesce(k.elsewhere_on, k.absent_on, k.not_in_search_on) IS NOT NULL AND (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false)));
CREATE TEMP VIEW whole_gone_dark AS
WITH nights AS (
    SELECT snapshot_date, min(started_at) AS started_at FROM runs GROUP BY snapshot_date
), places AS (
    SELECT sweep, max(snapshot_date) AS planned_until
    FROM   whole_status_searches
    WHERE  filters IS NULL OR (navigational_status, coalesce(world_zone, '')) NOT IN (SELECT (navigational_status, coalesce(world_zone, '')) FROM whole_status_searches WHERE filters IS NULL)
    GROUP BY sweep
), looked AS (
    SELECT s.snapshot_date, count(p.sweep) AS places,
           count(*) FILTER (s.filters IS NULL) = (SELECT sum(CASE WHEN zoned THEN (SELECT count(*) FROM world_zones) ELSE 1 END) FROM navigational_statuses) AS everywhere
    FROM   whole_status_searches AS s
    LEFT JOIN places AS p ON p.sweep = s.sweep
    WHERE  s.state = 'complete'
    GROUP BY s.snapshot_date
), after_night AS (
    SELECT d.snapshot_date, count(*) FILTER (n.places = d.places) AS swept_nights, count(*) FILTER (n.everywhere) AS world_nights
    FROM   (SELECT n.snapshot_date, count(*) AS places FROM nights AS n JOIN places AS p ON p.planned_until >= n.snapshot_date GROUP BY n.snapshot_date) AS d
    JOIN   looked AS n ON n.snapshot_date > d.snapshot_date
    GROUP BY d.snapshot_date
), after_search AS (
    SELECT n.snapshot_date, p.sweep, count(*) FILTER (s.proves_absence) OVER later AS nights, max(CASE WHEN s.proves_absence THEN s.snapshot_date END) OVER later AS last_night
    FROM   nights AS n
    JOIN   (SELECT DISTINCT sweep FROM whole_status_searches) AS p ON true
    LEFT JOIN whole_status_searches AS s ON s.snapshot_date = n.snapshot_date AND s.sweep = p.sweep
    WINDOW later AS (PARTITION BY p.sweep ORDER BY n.snapshot_date ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
), sighted AS (
    SELECT e.*
    FROM   whole_vessel_episodes AS e
    JOIN   (SELECT vessel_id, max(last_seen) AS last_seen FROM whole_vessel_episodes GROUP BY vessel_id HAVING max(last_date) < (SELECT max(snapshot_date) FROM runs)) AS l
           ON l.vessel_id = e.vessel_id AND l.last_seen = e.last_seen
    QUALIFY row_number() OVER (PARTITION BY e.vessel_id ORDER BY e.last_date DESC, e.sweep) = 1
), positions_known AS (
    SELECT coalesce(a.vessel_id, l.vessel_id) AS vessel_id, max(l.dated_at) AS position_at
    FROM   internal.latest AS l
    LEFT JOIN vessel_aliases AS a ON a.alias_id = l.vessel_id AND a.until IS NULL
    GROUP BY ALL
), signs AS (
    SELECT s.*, p.position_at, greatest(s.last_date, CASE WHEN p.position_at > s.last_seen THEN n.snapshot_date END) AS sign_date
    FROM   sighted AS s
    LEFT JOIN positions_known AS p ON p.vessel_id = s.vessel_id
    ASOF LEFT JOIN nights AS n ON n.started_at <= p.position_at
)
SELECT s.vessel_id, r.imo, r.mmsi, r.name, r.flag, coalesce(r.category, 'unknown') AS category, s.navigational_status, s.world_zone, s.last_date, s.last_seen, s.position_at,
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
    FROM   mmsi_claims AS c
    JOIN   internal.latest AS t ON t.vessel_id = 'MMSI' || c.mmsi
) AS u ON u.vessel_id = s.vessel_id AND u.seen > s.last_seen
WHERE  (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false)));
CREATE TEMP VIEW whole_zone_congestion AS
WITH searches AS (
    SELECT *
    FROM   whole_status_searches
    WHERE  navigational_status IN ('at-anchor', 'drifting')
    QUALIFY filters IS NULL OR count(*) FILTER (filters IS NULL) OVER (PARTITION BY snapshot_date, navigational_status, world_zone) = 0
), steps AS (
    SELECT e.sweep, e.navigational_status, e.world_zone, coalesce(r.category, 'unknown') AS category, unnest([e.first_date, e.last_date + 1]) AS from_date, unnest([1, -1]) AS vessels
    FROM   whole_vessel_episodes AS e
    JOIN   registration AS r ON r.vessel_id = e.vessel_id AND r.valid_to IS NULL
    WHERE  e.navigational_status IN ('at-anchor', 'drifting') AND (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false)))
), levels AS (
    SELECT sweep, category, from_date, (sum(sum(vessels)) OVER (PARTITION BY sweep, category ORDER BY from_date))::INTEGER AS vessels
    FROM   steps
    GROUP BY sweep, category, from_date
), categories AS (
    SELECT DISTINCT navigational_status, world_zone, category FROM steps
), waited AS (
    SELECT s.snapshot_date, s.navigational_status, s.world_zone, c.category, string_agg(s.filters, ' ' ORDER BY s.filters) AS filters,
           CASE WHEN bool_and(s.proves_absence) THEN sum(coalesce(l.vessels, 0))::INTEGER END AS waiting
    FROM   searches AS s
    JOIN   categories AS c ON c.navigational_status = s.navigational_status AND c.world_zone IS NOT DISTINCT FROM s.world_zone
    ASOF LEFT JOIN levels AS l ON l.sweep = s.sweep AND l.category = c.category AND l.from_date <= s.snapshot_date
    GROUP BY s.snapshot_date, s.navigational_status, s.world_zone, c.category
), places AS (
    SELECT navigational_status, world_zone, min(snapshot_date) AS since FROM searches GROUP BY navigational_status, world_zone
), grid AS (
    SELECT n.snapshot_date, p.navigational_status, p.world_zone, c.category
    FROM   places AS p
    JOIN   categories AS c ON c.navigational_status = p.navigational_status AND c.world_zone IS NOT DISTINCT FROM p.world_zone
    JOIN   (SELECT DISTINCT snapshot_date FROM runs) AS n ON n.snapshot_date >= p.since
), compared AS (
    SELECT g.*, w.filters, w.waiting, quantile_cont(w.waiting, [0.25, 0.5, 0.75]) OVER before AS quartiles, (count(w.waiting) OVER before)::INTEGER AS usual_nights
    FROM   grid AS g
    LEFT JOIN waited AS w ON w.snapshot_date = g.snapshot_date AND w.navigational_status = g.navigational_status AND w.world_zone IS NOT DISTINCT FROM g.world_zone AND w.category = g.category
    WINDOW before AS (PARTITION BY g.navigational_status, g.world_zone, g.category, w.filters ORDER BY g.snapshot_date RANGE BETWEEN INTERVAL 28 DAY PRECEDING AND INTERVAL 1 DAY PRECEDING)
)
SELECT snapshot_date, world_zone, category, navigational_status, filters, waiting, quartiles[2] AS usual, quartiles[1] AS usual_low, quartiles[3] AS usual_high, usual_nights, waiting - quartiles[2] AS above_usual
FROM   compared;
CREATE TEMP VIEW whole_identity_review AS
WITH claims AS (
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, entry FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL
    UNION ALL
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, NULL FROM second_mmsi_claims
), shared AS (
    SELECT a.mmsi AS value, list(DISTINCT a.vessel_id) AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE mmsi IN (SELECT mmsi FROM claims GROUP BY mmsi HAVING min(vessel_id) <> max(vessel_id))) AS a
    JOIN   claims AS b ON b.mmsi = a.mmsi AND b.vessel_id <> a.vessel_id AND b.first_seen <= a.last_seen AND a.first_seen <= b.last_seen
    WHERE  a.mmsi NOT IN (SELECT raw_value FROM identity_conflicts WHERE field = 'mmsi')
    GROUP BY a.mmsi
), several AS (
    SELECT string_agg(DISTINCT a.mmsi, ', ' ORDER BY a.mmsi) AS value, [a.vessel_id] AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE vessel_id IN (SELECT vessel_id FROM second_mmsi_claims)) AS a
    JOIN   claims AS b ON b.vessel_id = a.vessel_id AND b.mmsi <> a.mmsi AND b.first_seen < a.last_seen AND a.first_seen < b.last_seen
    GROUP BY a.vessel_id
), foreign_digits AS (
    SELECT r.vessel_id, r.mmsi, r.flag, r.last_seen, {run_id: r.run_id, entry: r.entry} AS evidence, string_agg(DISTINCT d.flag, ' ' ORDER BY d.flag) AS flags
    FROM   registration AS r
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   maritime_identification_digits AS d ON d.digits = left(r.mmsi, 3)
    WHERE  r.valid_to IS NULL AND r.flag IS NOT NULL
    GROUP BY ALL
    HAVING NOT bool_or(d.flag = r.flag OR coalesce(d.flag = f.state, false))
), timed AS (
    SELECT 'shared mmsi' AS kind, ids, value, 'claimed by several vessels at the same time' AS detail, since, until, evidence FROM shared
    UNION ALL
    SELECT 'several mmsis', ids, value, 'claimed by one vessel at the same time', since, until, evidence FROM several
    UNION ALL
    SELECT 'mmsi of another flag', [d.vessel_id], d.mmsi, 'flag ' || d.flag || ', digits of ' || d.flags, min(r.first_seen), d.last_seen, d.evidence
    FROM   foreign_digits AS d
    JOIN   registration AS r ON r.vessel_id = d.vessel_id AND r.mmsi = d.mmsi AND r.flag = d.flag
    GROUP BY ALL
), cases AS (
    SELECT t.kind, t.ids, t.value, t.detail, a.snapshot_date AS since, b.snapshot_date AS last_date, t.evidence
    FROM   timed AS t
    ASOF LEFT JOIN runs AS a ON a.started_at <= t.since
    ASOF LEFT JOIN runs AS b ON b.started_at <= t.until
    UNION ALL
    SELECT CASE field WHEN 'mmsi' THEN 'identity conflict' WHEN 'imo' THEN 'imo number of another' ELSE 'perhaps one vessel' END, list(DISTINCT vessel_id), raw_value, reason, min(snapshot_date), max(last_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   identity_conflicts
    WHERE  field IN ('mmsi', 'imo', 'vessel_id')
    GROUP BY field, raw_value, reason
    UNION ALL
    SELECT if(field = 'flag', 'several flags', 'several types'), [vessel_id], raw_value, reason, min(snapshot_date), max(last_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   identity_conflicts
    WHERE  field IN ('flag', 'vessel_type')
    GROUP BY vessel_id, field, raw_value, reason
    UNION ALL
    SELECT 'imo number refused', [vessel_id], raw_value, reason, min(snapshot_date), max(snapshot_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   issues
    WHERE  field = 'imo'
    GROUP BY vessel_id, raw_value, reason
    UNION ALL
    SELECT 'alias', [vessel_id, alias_id], alias_id, reason, snapshot_date, (SELECT max(snapshot_date) FROM runs WHERE started_at < coalesce(until, 'infinity'::TIMESTAMPTZ)), {run_id: run_id, entry: NULL}
    FROM   vessel_aliases
)
SELECT kind, list_sort(ids)[1] AS vessel_id, nullif(array_to_string(list_sort(ids)[2:], ', '), '') AS other_vessel_ids, value, detail, since, last_date, evidence.run_id AS run_id, evidence.entry AS entry
FROM   cases;
CREATE TEMP VIEW whole_reflaggings AS
WITH flagged AS (
    SELECT c.*, EXISTS (FROM whole_confirmed_changes AS m WHERE m.vessel_id = c.vessel_id AND m.seen_after = c.seen_after AND m.dataset = 'registration' AND m.field = 'mmsi') AS mmsi_changed
    FROM   whole_confirmed_changes AS c
    WHERE  c.dataset = 'registration' AND c.field = 'flag'
), agreeing AS (
    SELECT DISTINCT k.vessel_id, r.flag
    FROM   registration AS r
    JOIN   (SELECT vessel_id, vessel_id AS id FROM flagged UNION SELECT vessel_id, alias_id FROM vessel_aliases) AS k ON k.id = r.vessel_id
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   maritime_identification_digits AS d ON d.digits = left(r.mmsi, 3) AND d.flag IN (r.flag, f.state)
)
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS flag_before, c.new_value AS flag_after, w.old_value AS register_before, w.new_value AS register_after,
       CASE WHEN w.old_value IS NULL THEN b.open_registry ELSE w.old_value IN (SELECT register FROM registers WHERE open_registry) END AS open_registry_before,
       CASE WHEN w.new_value IS NULL THEN a.open_registry ELSE w.new_value IN (SELECT register FROM registers WHERE open_registry) END AS open_registry_after, c.mmsi_changed,
       r.name, coalesce(r.category, 'unknown') AS category, (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false))) AS is_vessel,
       EXISTS (FROM registration AS k WHERE k.vessel_id = c.vessel_id AND k.flag = c.new_value AND coalesce((k.untold ->> 'flag')::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   flagged AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL
LEFT JOIN flags AS b ON b.flag = c.old_value
LEFT JOIN flags AS a ON a.flag = c.new_value
LEFT JOIN whole_confirmed_changes AS w ON w.vessel_id = c.vessel_id AND w.seen_after = c.seen_after AND w.field = 'register'
WHERE  c.mmsi_changed
   OR  NOT EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.new_value)
   OR  EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.old_value);
CREATE TEMP VIEW whole_renamings AS
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS name_before, c.new_value AS name_after,
       r.name, r.flag, coalesce(r.category, 'unknown') AS category, (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false))) AS is_vessel,
       EXISTS (FROM whole_confirmed_changes AS f WHERE f.vessel_id = c.vessel_id AND f.seen_after = c.seen_after AND f.dataset = 'registration' AND f.field = 'flag') AS reflagged_too,
       EXISTS (FROM registration AS k WHERE k.vessel_id = c.vessel_id AND k.name = c.new_value AND coalesce((k.untold ->> 'name')::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   whole_confirmed_changes AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL
WHERE  c.dataset = 'registration' AND c.field = 'name' AND NOT c.respelled;
CREATE TEMP VIEW whole_ownership_changes AS
WITH companies AS (
    SELECT * FROM whole_confirmed_changes WHERE dataset = 'management' AND field IN ('registered_owner', 'manager') AND NOT respelled
)
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.field AS role, c.old_value AS company_before, c.new_value AS company_after,
       EXISTS (FROM companies AS o WHERE o.vessel_id = c.vessel_id AND o.seen_after = c.seen_after AND o.field <> c.field) AS both_changed,
       r.name, r.flag, coalesce(r.category, 'unknown') AS category, (coalesce(r.is_vessel, true) AND (coalesce(r.category, 'unknown') <> 'unknown' OR r.imo IS NOT NULL OR NOT coalesce(regexp_matches(r.mmsi, '^(0|111|8|97|99)'), false))) AS is_vessel,
       EXISTS (FROM management AS k WHERE k.vessel_id = c.vessel_id AND CASE c.field WHEN 'manager' THEN k.manager ELSE k.registered_owner END = c.new_value
               AND coalesce((k.untold ->> c.field)::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   companies AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL;
