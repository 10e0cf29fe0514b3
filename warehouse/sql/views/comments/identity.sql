-- identity: comments of the tables that say which numbers belong to which vessel.
COMMENT ON TABLE vessel_aliases IS 'One row per vessel that was known by its MMSI alone until an IMO number was reported with it, or until it was proved to be a vessel that was known before under another flag. From then on the alias is no row of vessels; its history is not rewritten.';
COMMENT ON COLUMN vessel_aliases.alias_id IS 'The id that the vessel had before.';
COMMENT ON COLUMN vessel_aliases.vessel_id IS 'The id that the vessel has since.';
COMMENT ON COLUMN vessel_aliases.since IS 'The first observation that belongs to the other id: of the IMO number with the MMSI, or of the night that proved the link.';
COMMENT ON COLUMN vessel_aliases.until IS 'When the MMSI was seen on another vessel; null while the alias is valid.';
COMMENT ON COLUMN vessel_aliases.snapshot_date IS 'The night on which the two ids were linked.';
COMMENT ON COLUMN vessel_aliases.reason IS 'The evidence for the link.';
COMMENT ON COLUMN vessel_aliases.run_id IS 'The run whose answer is the evidence.';

COMMENT ON TABLE identity_conflicts IS 'One row per vessel in a contradiction between vessels, or between the entries that one night''s list has of it. Contradictions of numbers are recorded, never resolved by a guess: one number that several vessels show, at a time or one after the other, and two vessels that may be one under two flags. Of two flags or types one is kept by a rule, and the other is here.';
COMMENT ON COLUMN identity_conflicts.vessel_id IS 'The vessel, or one of the vessels.';
COMMENT ON COLUMN identity_conflicts.dataset IS 'The dataset of the contradiction.';
COMMENT ON COLUMN identity_conflicts.field IS 'Our column.';
COMMENT ON COLUMN identity_conflicts.raw_value IS 'The value that several vessels claim; the flag or type that is not kept.';
COMMENT ON COLUMN identity_conflicts.reason IS 'What the contradiction is.';
COMMENT ON COLUMN identity_conflicts.snapshot_date IS 'The first night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.last_date IS 'The last night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.run_id IS 'The run that found it first.';
COMMENT ON COLUMN identity_conflicts.entry IS 'That answer in the run''s journal.';

COMMENT ON TABLE second_mmsi_claims IS 'MMSIs that were reported for a vessel beside the one of its registration, as while it changes its flag. The view mmsi_claims lists all MMSIs.';
COMMENT ON COLUMN second_mmsi_claims.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel without a known IMO number: the one by which it was first known. The second vessel of an MMSI that was given again has .2 after it.';
COMMENT ON COLUMN second_mmsi_claims.mmsi IS 'The other MMSI.';
COMMENT ON COLUMN second_mmsi_claims.first_date IS 'The first night on which it was reported.';
COMMENT ON COLUMN second_mmsi_claims.last_date IS 'The last night on which it was reported.';
COMMENT ON COLUMN second_mmsi_claims.first_seen IS 'First observation.';
COMMENT ON COLUMN second_mmsi_claims.last_seen IS 'Last observation.';
COMMENT ON COLUMN second_mmsi_claims.run_id IS 'The run that saw it first.';
COMMENT ON COLUMN second_mmsi_claims.country IS 'The country of the list entry that reported it.';
COMMENT ON COLUMN second_mmsi_claims.until IS 'The night whose coverage proved that the vessel is no longer listed with it, or on which it became the MMSI of its registration; null while the claim is open.';

COMMENT ON TABLE internal.doubtful_values IS 'The flags and types that are kept of several that one night''s list gave a vessel, and that were not known before, until a later night decides.';
COMMENT ON COLUMN internal.doubtful_values.vessel_id IS 'As in registration.';
COMMENT ON COLUMN internal.doubtful_values.field IS 'flag or vessel_type.';
COMMENT ON COLUMN internal.doubtful_values.value IS 'The value that is kept.';
COMMENT ON COLUMN internal.doubtful_values.seen_after IS 'Since when it is.';
COMMENT ON COLUMN internal.doubtful_values.settled_on IS 'The night whose list decided; null while none has. The next night removes the row.';
