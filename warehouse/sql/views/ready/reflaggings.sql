-- reflaggings: the changes of a vessel's flag. A corrected entry is none.
CREATE OR REPLACE VIEW reflaggings AS
SELECT r.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS flag_before, c.new_value AS flag_after, c.register_before, c.register_after,
       if(c.register_before IS NULL, b.open_registry, coalesce(rb.open_registry, false)) AS open_registry_before, if(c.register_after IS NULL, a.open_registry, coalesce(ra.open_registry, false)) AS open_registry_after, c.together AS mmsi_changed,
       r.name, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel, c.seen_again, c.run_id, c.entry
FROM   internal.vessel_changes AS c
JOIN   registration AS r ON {{template "registration_key" "r"}} = c.vessel_key AND r.valid_to IS NULL
LEFT JOIN flags AS b ON b.flag = c.old_value
LEFT JOIN flags AS a ON a.flag = c.new_value
LEFT JOIN registers AS rb ON rb.register = c.register_before
LEFT JOIN registers AS ra ON ra.register = c.register_after
WHERE  c.field = 'flag';
COMMENT ON VIEW reflaggings IS 'One row per change of a vessel''s flag, from one known flag to another. It happened between seen_before and seen_after. Flags that a single observation had between the same flag before and after are left out, and so are corrected entries: where the MMSI stayed, always had the digits of the new flag and never those of the old one. changes has these, too. A night that is not whole finds fewer, and a later one the rest: a count by night joins night_verdicts.';
COMMENT ON COLUMN reflaggings.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN reflaggings.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN reflaggings.snapshot_date IS 'The night that first had the new flag.';
COMMENT ON COLUMN reflaggings.seen_before IS 'The last observation of the old flag.';
COMMENT ON COLUMN reflaggings.seen_after IS 'The first observation of the new flag.';
COMMENT ON COLUMN reflaggings.flag_before IS 'ISO 3166 alpha-2.';
COMMENT ON COLUMN reflaggings.flag_after IS 'ISO 3166 alpha-2.';
COMMENT ON COLUMN reflaggings.register_before IS 'The register before, if it is known; see registers.';
COMMENT ON COLUMN reflaggings.register_after IS 'The register after, if it is known.';
COMMENT ON COLUMN reflaggings.open_registry_before IS 'Whether the register before is a flag of convenience, or else the flag; see registers.open_registry.';
COMMENT ON COLUMN reflaggings.open_registry_after IS 'Whether the register after is one, or else the flag.';
COMMENT ON COLUMN reflaggings.mmsi_changed IS 'Whether the same observation had another MMSI, as a new flag brings one.';
COMMENT ON COLUMN reflaggings.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN reflaggings.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN reflaggings.is_vessel IS 'As in vessels: a count of ships filters by it.';
COMMENT ON COLUMN reflaggings.seen_again IS 'Whether a later observation had the new flag again. Until one has, the change may be an error of a single answer.';
COMMENT ON COLUMN reflaggings.run_id IS 'The run of the new flag.';
COMMENT ON COLUMN reflaggings.entry IS 'That answer in the run''s journal.';
