-- searches_tonight: what tonight proves by each status search. A night proves an absence by the rule by
-- which loads find it (see partitions): an empty answer after one with vessels proves it only when the next
-- night repeats it. A zone is covered only if all searches that can find a vessel there were: those of the
-- zone, and those of the statuses that are searched for worldwide.
-- reads: coverage, internal.searches, navigational_statuses
-- makes: searches_tonight
-- needs: lake_coverage
CREATE OR REPLACE TEMP TABLE searches_tonight AS
-- planned: each search once, over all runs of the night
WITH planned AS (
    SELECT lower(trim(value)) AS sweep, any_value(navigational_status) AS navigational_status, any_value(world_zone) AS world_zone,
           nullif(split_part(lower(trim(value)), '?', 2), '') AS filters,
           arg_max(state, {place: CASE state WHEN 'complete' THEN 3 WHEN 'failed' THEN 1 WHEN 'skipped' THEN 0 ELSE 2 END, run_id: run_id}) AS state,
           max(received_rows) AS received_rows
    FROM   coverage
    WHERE  snapshot_date = $date AND kind = 'status'
    GROUP BY lower(trim(value))
-- earlier: what the nights before proved by each search
), earlier AS (
    SELECT sweep, arg_max(received_rows, snapshot_date) FILTER (state NOT IN ('failed', 'skipped') AND received_rows IS NOT NULL) AS received_rows,
           max(snapshot_date) FILTER (proves_absence) AS proven_before, max(snapshot_date) FILTER (covers_zone) AS zone_proven_before
    FROM   internal.searches
    GROUP BY sweep
), answered AS (
    SELECT p.*, p.state = 'complete' AND (p.received_rows > 0 OR coalesce(e.received_rows, 0) = 0) AS proves_absence, e.proven_before, e.zone_proven_before
    FROM   planned AS p
    LEFT JOIN earlier AS e ON e.sweep = p.sweep
-- statuses: by zone, for how many statuses all vessels were covered
), statuses AS (
    SELECT world_zone, count(*) AS statuses FROM answered WHERE proves_absence AND filters IS NULL GROUP BY world_zone
), zones AS (
    SELECT z.world_zone
    FROM   statuses AS z
    JOIN   statuses AS w ON w.world_zone IS NULL
    JOIN   (SELECT count(*) FILTER (zoned) AS zoned, count(*) FILTER (NOT zoned) AS worldwide FROM navigational_statuses) AS n ON n.zoned = z.statuses AND n.worldwide = w.statuses
    WHERE  z.world_zone IS NOT NULL
)
SELECT $date::DATE AS snapshot_date, a.*, z.world_zone IS NOT NULL AS covers_zone
FROM   answered AS a
LEFT JOIN zones AS z ON z.world_zone = a.world_zone
ORDER BY a.sweep;
