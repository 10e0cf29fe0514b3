-- status_searches: what each night proved by each status search. Each night adds its searches to the table,
-- and says of earlier ones that it is the first since that proves an absence.
CREATE OR REPLACE VIEW status_searches AS
SELECT snapshot_date, sweep, navigational_status, world_zone, filters, state, received_rows, proves_absence, proven_before, proven_after, zone_proven_before, zone_proven_after
FROM   internal.searches;
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
