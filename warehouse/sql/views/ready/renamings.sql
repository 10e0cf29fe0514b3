-- renamings: the changes of a vessel's name. Another spelling of the same name is none.
CREATE OR REPLACE VIEW renamings AS
SELECT r.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS name_before, c.new_value AS name_after,
       r.name, r.flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel, c.together AS reflagged_too, c.seen_again, c.run_id, c.entry
FROM   internal.vessel_changes AS c
JOIN   registration AS r ON {{template "registration_key" "r"}} = c.vessel_key AND r.valid_to IS NULL
WHERE  c.field = 'name';
COMMENT ON VIEW renamings IS 'One row per change of a vessel''s name, from one known name to another. It happened between seen_before and seen_after. Names that a single observation had between the same name before and after are left out, and so are other spellings of the same name. Of a vessel without an IMO number the new name may be another vessel''s that was given its MMSI. A night that is not whole finds fewer, and a later one the rest: a count by night joins night_verdicts.';
COMMENT ON COLUMN renamings.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN renamings.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN renamings.snapshot_date IS 'The night that first had the new name.';
COMMENT ON COLUMN renamings.seen_before IS 'The last observation of the old name.';
COMMENT ON COLUMN renamings.seen_after IS 'The first observation of the new name.';
COMMENT ON COLUMN renamings.name_before IS 'The name before.';
COMMENT ON COLUMN renamings.name_after IS 'The name after.';
COMMENT ON COLUMN renamings.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN renamings.flag IS 'The flag that the vessel has now. ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN renamings.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN renamings.is_vessel IS 'As in vessels: a count of ships filters by it.';
COMMENT ON COLUMN renamings.reflagged_too IS 'Whether the same observation had another flag, too, as when a vessel is sold.';
COMMENT ON COLUMN renamings.seen_again IS 'Whether a later observation had the new name again. Until one has, the change may be an error of a single answer.';
COMMENT ON COLUMN renamings.run_id IS 'The run of the new name.';
COMMENT ON COLUMN renamings.entry IS 'That answer in the run''s journal.';
