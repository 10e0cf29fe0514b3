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
COMMENT ON VIEW status_searches IS 'One row per night and status search that was planned for it, over all runs of the night: how well it was covered, and whether a vessel that it did not return was provably not in it. A night without a row for a search says nothing about it.';
COMMENT ON COLUMN status_searches.snapshot_date IS 'The night.';
COMMENT ON COLUMN status_searches.sweep IS 'The search as coverage.value names it, in lower case.';
COMMENT ON COLUMN status_searches.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN status_searches.world_zone IS 'See world_zones; null for the statuses that are searched for worldwide.';
COMMENT ON COLUMN status_searches.filters IS 'The filters of the search, as in laden=ballast; null if it had none and so looked for all vessels.';
COMMENT ON COLUMN status_searches.state IS 'The best of the night''s runs: see coverage.state.';
COMMENT ON COLUMN status_searches.received_rows IS 'Vessels received.';
COMMENT ON COLUMN status_searches.proves_absence IS 'Whether a vessel that the search did not return was provably not in it: the search was complete, and not empty for the first time after a night with vessels, since an empty answer may be a silent fault.';
COMMENT ON COLUMN status_searches.proven_before IS 'The last night before on which the search proves absence; null if there is none.';
COMMENT ON COLUMN status_searches.proven_after IS 'The first night after on which it does; null if there is none.';
COMMENT ON COLUMN status_searches.zone_proven_before IS 'The last night before that proves absence from the zone in every status, those that are searched for worldwide included; null if there is none, and without a zone.';
COMMENT ON COLUMN status_searches.zone_proven_after IS 'The first night after that does; null if there is none.';
