-- status_searches: what each night proved by each status search. A night proves an absence by the rule
-- by which loads find it (see partitions): an empty answer after one with vessels proves it only
-- when the next night repeats it. A zone is covered only if all searches that can find a vessel there were:
-- those of the zone, and those of the statuses that are searched for worldwide.
CREATE OR REPLACE VIEW status_searches AS
-- planned: each search once a night, over all runs
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
-- statuses: by night and zone, for how many statuses all vessels were covered
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
