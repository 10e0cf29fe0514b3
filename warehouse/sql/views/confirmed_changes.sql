-- confirmed_changes: the changes that nothing makes doubtful.
CREATE OR REPLACE VIEW confirmed_changes AS
{{template "confirmed" "changes"}};
COMMENT ON VIEW confirmed_changes IS 'The changes from one known value to another that are not doubtful, each once and under the id that the vessel has now. First knowledge of a value, and a value that a single observation had, are no changes; changes has them too.';
COMMENT ON COLUMN confirmed_changes.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN confirmed_changes.dataset IS 'registration, particulars, engine or management.';
COMMENT ON COLUMN confirmed_changes.field IS 'The column of that table.';
COMMENT ON COLUMN confirmed_changes.old_value IS 'As text.';
COMMENT ON COLUMN confirmed_changes.new_value IS 'As text.';
COMMENT ON COLUMN confirmed_changes.seen_before IS 'The last observation of the old value.';
COMMENT ON COLUMN confirmed_changes.seen_after IS 'The first observation of the new value: the change happened between the two.';
COMMENT ON COLUMN confirmed_changes.snapshot_date IS 'The night of that observation.';
COMMENT ON COLUMN confirmed_changes.respelled IS 'As in changes: another spelling of the same name.';
COMMENT ON COLUMN confirmed_changes.run_id IS 'The run of the new value.';
COMMENT ON COLUMN confirmed_changes.entry IS 'That answer in the run''s journal.';
