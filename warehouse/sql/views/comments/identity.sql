-- identity: which numbers belong to which vessel.
COMMENT ON TABLE vessel_aliases IS 'One row per vessel that was known by its MMSI alone until it showed an IMO number. From then on the alias is not a row of vessels; its history is not rewritten.';
COMMENT ON COLUMN vessel_aliases.alias_id IS 'The id that the vessel had before it showed its IMO number.';
COMMENT ON COLUMN vessel_aliases.vessel_id IS 'The id that it has since.';
COMMENT ON COLUMN vessel_aliases.since IS 'When it showed it. UTC.';
COMMENT ON COLUMN vessel_aliases.until IS 'When the MMSI was seen on a vessel of its own again; null while the alias holds. UTC.';
COMMENT ON COLUMN vessel_aliases.snapshot_date IS 'The night of the link.';
COMMENT ON COLUMN vessel_aliases.reason IS 'What the link rests on.';
COMMENT ON COLUMN vessel_aliases.run_id IS 'The run whose answer showed both numbers.';

COMMENT ON TABLE identity_conflicts IS 'One row per vessel of a contradiction between vessels. They are recorded and never guessed.';
COMMENT ON COLUMN identity_conflicts.vessel_id IS 'One of the vessels.';
COMMENT ON COLUMN identity_conflicts.dataset IS 'The dataset of the contradiction.';
COMMENT ON COLUMN identity_conflicts.field IS 'Our column.';
COMMENT ON COLUMN identity_conflicts.raw_value IS 'The value that several vessels claim.';
COMMENT ON COLUMN identity_conflicts.reason IS 'What contradicts.';
COMMENT ON COLUMN identity_conflicts.snapshot_date IS 'The first night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.last_date IS 'The last night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.run_id IS 'The run that met it first.';
COMMENT ON COLUMN identity_conflicts.entry IS 'That answer in the run''s journal.';

COMMENT ON TABLE second_mmsi_claims IS 'MMSIs that a vessel showed beside the one of its registration, as between two flags. The whole picture is the view mmsi_claims.';
COMMENT ON COLUMN second_mmsi_claims.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN second_mmsi_claims.mmsi IS 'The other MMSI.';
COMMENT ON COLUMN second_mmsi_claims.first_date IS 'The first night on which it was shown.';
COMMENT ON COLUMN second_mmsi_claims.last_date IS 'The last night on which it was shown.';
COMMENT ON COLUMN second_mmsi_claims.first_seen IS 'First observation. UTC.';
COMMENT ON COLUMN second_mmsi_claims.last_seen IS 'Last observation. UTC.';
COMMENT ON COLUMN second_mmsi_claims.run_id IS 'The run that saw it first.';
COMMENT ON COLUMN second_mmsi_claims.country IS 'The country of the entry that showed it.';
COMMENT ON COLUMN second_mmsi_claims.until IS 'The night whose coverage proved that the vessel does not show it any more, or that made it the one of its registration; null while the claim holds.';
