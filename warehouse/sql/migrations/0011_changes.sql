-- changes: what the versions differ in, told field by field when a load finds it. A view over
-- the versions would have to compare all of them, and could not know what one night told in
-- two ways.

CREATE TABLE changes (
    vessel_id VARCHAR USING COMPRESSION fsst,
    dataset VARCHAR USING COMPRESSION dictionary,
    field VARCHAR USING COMPRESSION dictionary,
    old_value VARCHAR,
    new_value VARCHAR,
    seen_before TIMESTAMP,
    seen_after TIMESTAMP,
    snapshot_date DATE,
    flapping BOOLEAN,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);
COMMENT ON TABLE changes IS 'One row per field of a dataset that was seen to change, and the two observations between which it happened. What was never told before is a change from null.';
COMMENT ON COLUMN changes.vessel_id IS 'The vessel, as it was known after the change. The macro changes_of tells the story of one vessel under all its ids.';
COMMENT ON COLUMN changes.dataset IS 'registration, particulars, engine or management.';
COMMENT ON COLUMN changes.field IS 'The column of that table.';
COMMENT ON COLUMN changes.old_value IS 'As text; null if none was known.';
COMMENT ON COLUMN changes.new_value IS 'As text.';
COMMENT ON COLUMN changes.seen_before IS 'The last observation that told the old value, or that told of the dataset without the field. UTC.';
COMMENT ON COLUMN changes.seen_after IS 'The first observation of the new value. UTC.';
COMMENT ON COLUMN changes.snapshot_date IS 'The night of that observation.';
COMMENT ON COLUMN changes.flapping IS 'Whether the change is doubtful: a value that was seen at one observation only, between the same value before and after, or that lost against another of the same night.';
COMMENT ON COLUMN changes.run_id IS 'The run of the new value.';
COMMENT ON COLUMN changes.entry IS 'That answer in the runs journal.';
