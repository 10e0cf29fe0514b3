-- ownership_changes: the changes of a vessel's registered owner and manager. The first company that is
-- known of a vessel is no change, and neither is another spelling of the same one.
CREATE OR REPLACE VIEW ownership_changes AS
SELECT r.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.field AS role, c.old_value AS company_before, c.new_value AS company_after, c.together AS both_changed,
       r.name, r.flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel, c.seen_again, c.run_id, c.entry
FROM   internal.vessel_changes AS c
JOIN   registration AS r ON {{template "registration_key" "r"}} = c.vessel_key AND r.valid_to IS NULL
WHERE  c.field IN ('registered_owner', 'manager');
COMMENT ON VIEW ownership_changes IS 'One row per change of a vessel''s registered owner or manager, from one known company to another: a vessel whose owner was not known before has not changed it. A vessel is looked up seldom, so that the change lies somewhere between seen_before and seen_after, and vessels that were looked up only once can have no row. Companies that a single lookup had between the same company before and after are left out, and so are other spellings of the same company, also those with another legal form: changes has these, marked as respelled.';
COMMENT ON COLUMN ownership_changes.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN ownership_changes.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN ownership_changes.snapshot_date IS 'The night that first had the new company.';
COMMENT ON COLUMN ownership_changes.seen_before IS 'The last lookup with the old company.';
COMMENT ON COLUMN ownership_changes.seen_after IS 'The first lookup with the new company.';
COMMENT ON COLUMN ownership_changes.role IS 'registered_owner or manager: what the company is to the vessel.';
COMMENT ON COLUMN ownership_changes.company_before IS 'The company before.';
COMMENT ON COLUMN ownership_changes.company_after IS 'The company after.';
COMMENT ON COLUMN ownership_changes.both_changed IS 'Whether the same lookup had another owner and another manager; then there is a row for each.';
COMMENT ON COLUMN ownership_changes.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN ownership_changes.flag IS 'The flag that the vessel has now. ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN ownership_changes.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN ownership_changes.is_vessel IS 'As in vessels: a count of ships filters by it.';
COMMENT ON COLUMN ownership_changes.seen_again IS 'Whether a later lookup had the new company again. Until one has, the change may be an error of a single answer.';
COMMENT ON COLUMN ownership_changes.run_id IS 'The run of the new company.';
COMMENT ON COLUMN ownership_changes.entry IS 'That answer in the run''s journal.';
