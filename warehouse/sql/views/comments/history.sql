-- history: comments of changes and of the counts by night.
COMMENT ON TABLE changes IS 'One row per observed change of a field, with the two observations between which it happened. The first value of a field is a change from null. reflaggings, renamings and ownership_changes have those that most ask for; confirmed_changes leaves out the doubtful ones.';
COMMENT ON COLUMN changes.vessel_id IS 'The vessel, as it was known after the change. The macro changes_of lists the changes of one vessel under all its ids.';
COMMENT ON COLUMN changes.dataset IS 'registration, particulars, engine or management.';
COMMENT ON COLUMN changes.field IS 'The column of that table.';
COMMENT ON COLUMN changes.old_value IS 'As text; null if the value was unknown.';
COMMENT ON COLUMN changes.new_value IS 'As text.';
COMMENT ON COLUMN changes.seen_before IS 'The last observation of the old value, or of the dataset without the field.';
COMMENT ON COLUMN changes.seen_after IS 'The first observation of the new value.';
COMMENT ON COLUMN changes.snapshot_date IS 'The night of that observation.';
COMMENT ON COLUMN changes.flapping IS 'Whether the change is doubtful: a value that was seen in a single observation, between the same value before and after, that another value of the same night replaced, or that the list only ever gave beside another one: a later night that gives it alone removes the doubt.';
COMMENT ON COLUMN changes.respelled IS 'Whether the two are spellings of one value: texts that differ only in accents, blanks and punctuation, and companies also in their legal form (CO., LTD., S.A., GMBH). False if a value was unknown.';
COMMENT ON COLUMN changes.run_id IS 'The run of the new value.';
COMMENT ON COLUMN changes.entry IS 'That answer in the run''s journal.';

COMMENT ON TABLE fleet_daily IS 'The fleet by night, flag, category and whether it is a vessel, as it was known after that night. Of later findings only a departure changes it, which counts from the first night whose list missed the vessel: see the macro fleet_on.';
COMMENT ON COLUMN fleet_daily.snapshot_date IS 'The night.';
COMMENT ON COLUMN fleet_daily.flag IS 'ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN fleet_daily.category IS 'See types.category; unknown, and never null, if it is not known.';
COMMENT ON COLUMN fleet_daily.is_vessel IS 'Of the things that the row counts: see vessels.is_vessel. A count of ships filters by it.';
COMMENT ON COLUMN fleet_daily.listed IS 'How many were on the list, or not proved to have left it.';
COMMENT ON COLUMN fleet_daily.seen IS 'Of these, how many this night''s answers listed. If it is less than listed, coverage was not complete.';
COMMENT ON COLUMN fleet_daily.verdict IS 'How far the counts of the night can be trusted: whole, partial or broken, as in night_verdicts, which has the reason. A night that is not whole has few seen, and vessels that came that night are not among listed yet.';
COMMENT ON COLUMN fleet_daily.run_id IS 'The night''s latest run.';

COMMENT ON TABLE zone_daily IS 'How many vessels each status search returned that was answered: one row per night and search, and a second one, with is_vessel false, if it returned other things.';
COMMENT ON COLUMN zone_daily.snapshot_date IS 'The night.';
COMMENT ON COLUMN zone_daily.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN zone_daily.world_zone IS 'See world_zones; null for the statuses that are searched for worldwide.';
COMMENT ON COLUMN zone_daily.laden IS 'The filter of the search: ballast, partial or laden; null if it had none.';
COMMENT ON COLUMN zone_daily.for_order IS 'The filter of the search: whether it asked for vessels that sail for orders; null if it had none.';
COMMENT ON COLUMN zone_daily.vessel_type IS 'The filter of the search, in its own vocabulary; null if it had none.';
COMMENT ON COLUMN zone_daily.is_vessel IS 'Of the things that the row counts: see vessels.is_vessel. A count of ships filters by it.';
COMMENT ON COLUMN zone_daily.vessels IS 'How many the search returned, each once; where is_vessel is false these are other things. They are all there were only if state is complete.';
COMMENT ON COLUMN zone_daily.state IS 'How well the night covered the search: see coverage.state.';
COMMENT ON COLUMN zone_daily.verdict IS 'As in night_verdicts, of the whole night; state is of this search alone.';
COMMENT ON COLUMN zone_daily.run_id IS 'The latest run that covered it.';
