-- The answers of operations of which the service documents no field, whole, and how the configuration of the last run
-- reads them.
CREATE TABLE raw_answers (
    run_id VARCHAR,
    entry INTEGER,
    snapshot_date DATE,
    seen_at TIMESTAMPTZ,
    vessel_id VARCHAR,
    operation VARCHAR,
    asked VARCHAR,
    body VARCHAR
);
CREATE TABLE internal.raw_operations (operation VARCHAR, definition VARCHAR, run_id VARCHAR);
