-- Counts by night, a few rows each, so that a year of them is read at once.

CREATE TABLE fleet_daily (
    snapshot_date DATE,
    flag VARCHAR USING COMPRESSION dictionary,
    category VARCHAR USING COMPRESSION dictionary,
    listed INTEGER,
    seen INTEGER,
    run_id VARCHAR USING COMPRESSION dictionary
);
COMMENT ON TABLE fleet_daily IS 'The fleet by night, flag and category, as it was known after that night. What a later night finds out, as that a vessel had left, does not change it: see the macro fleet_on.';
COMMENT ON COLUMN fleet_daily.snapshot_date IS 'The night.';
COMMENT ON COLUMN fleet_daily.flag IS 'ISO 3166 alpha-2; null where it is not known.';
COMMENT ON COLUMN fleet_daily.category IS 'See vessel_types; null where it is not known.';
COMMENT ON COLUMN fleet_daily.listed IS 'Vessels on the list, as far as was known.';
COMMENT ON COLUMN fleet_daily.seen IS 'Of these, those that the night itself showed on the list. Where it is less than listed, the night was not whole.';
COMMENT ON COLUMN fleet_daily.run_id IS 'The night''s latest run.';

CREATE TABLE zone_daily (
    snapshot_date DATE,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    laden VARCHAR,
    for_order BOOLEAN,
    vessel_type VARCHAR,
    vessels INTEGER,
    state VARCHAR USING COMPRESSION dictionary,
    run_id VARCHAR USING COMPRESSION dictionary
);
COMMENT ON TABLE zone_daily IS 'One row per night and status search that was answered: how many vessels it showed.';
COMMENT ON COLUMN zone_daily.snapshot_date IS 'The night.';
COMMENT ON COLUMN zone_daily.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN zone_daily.world_zone IS 'See world_zones; null for the statuses that are searched for worldwide.';
COMMENT ON COLUMN zone_daily.laden IS 'The filter of the search: ballast, partial or laden; null if it had none.';
COMMENT ON COLUMN zone_daily.for_order IS 'The filter of the search: whether it asked for vessels that sail for orders; null if it had none.';
COMMENT ON COLUMN zone_daily.vessel_type IS 'The filter of the search, in its own vocabulary; null if it had none.';
COMMENT ON COLUMN zone_daily.vessels IS 'Vessels that the search showed, each once. Only where state is complete these are all.';
COMMENT ON COLUMN zone_daily.state IS 'How well the night covered the search: see coverage.state.';
COMMENT ON COLUMN zone_daily.run_id IS 'The latest run that covered it.';
