-- versions: the columns that every dataset has.
COMMENT ON COLUMN {{.Name}}.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel without a known IMO number: the one by which it was first known. The second vessel of an MMSI that was given again has .2 after it.';
COMMENT ON COLUMN {{.Name}}.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN {{.Name}}.valid_from IS 'When the version was first observed.';
COMMENT ON COLUMN {{.Name}}.valid_to IS 'When the next version was first observed, or when the vessel was recognised under another id; null while open.';
COMMENT ON COLUMN {{.Name}}.first_seen IS 'First observation of the version.';
COMMENT ON COLUMN {{.Name}}.last_seen IS 'Last observation of the version.';
COMMENT ON COLUMN {{.Name}}.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN {{.Name}}.entry IS 'That answer in the run''s journal.';
COMMENT ON COLUMN {{.Name}}.raw IS 'JSON object, keyed as in the API: each value of that answer that a rule changed or refused, as received.';
COMMENT ON COLUMN {{.Name}}.extra IS 'JSON object: keys of that answer that have no column.';
COMMENT ON COLUMN {{.Name}}.fingerprint IS 'Internal: hash of the latest observation, by which loads find unchanged vessels fast; it has no other meaning.';
COMMENT ON COLUMN {{.Name}}.closed_date IS 'The night that closed the version; null while it is open. A version is valid from its snapshot_date to the night before this one.';
COMMENT ON COLUMN {{.Name}}.untold IS 'Internal: JSON object of the columns without a value in the last observation, and when each was last observed. Null if every known column had a value.';
COMMENT ON COLUMN {{.Name}}.vessel_number IS 'Internal: the number in vessel_id. A query of one vessel that filters by it as well as by vessel_id is faster.';
