-- versions: the columns that every dataset has.
COMMENT ON COLUMN {{.Name}}.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN {{.Name}}.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN {{.Name}}.valid_from IS 'When the version was first observed. UTC.';
COMMENT ON COLUMN {{.Name}}.valid_to IS 'When the next version was first observed, or the vessel was found to be another one; null while open. UTC.';
COMMENT ON COLUMN {{.Name}}.first_seen IS 'First observation of the version. UTC.';
COMMENT ON COLUMN {{.Name}}.last_seen IS 'Last observation of the version. UTC.';
COMMENT ON COLUMN {{.Name}}.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN {{.Name}}.entry IS 'That answer in the run''s journal.';
COMMENT ON COLUMN {{.Name}}.raw IS 'JSON object by the API''s key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN {{.Name}}.extra IS 'JSON object: keys of that answer that no column has.';
COMMENT ON COLUMN {{.Name}}.fingerprint IS 'Hash of the latest observation, to find the unchanged ones fast; says nothing by itself.';
COMMENT ON COLUMN {{.Name}}.closed_date IS 'The night that closed the version; null while it is open. A version holds from its snapshot_date to the night before this.';
COMMENT ON COLUMN {{.Name}}.untold IS 'JSON object: columns that the last observation left out, and when each was last observed. Null if it left out nothing that is known.';
COMMENT ON COLUMN {{.Name}}.vessel_number IS 'The number in vessel_id. To look for it beside vessel_id is faster.';
