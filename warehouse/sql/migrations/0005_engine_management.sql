-- engine and management: one row per version. A version is opened by the first observation of its values and
-- closed by the first observation of others.
--
-- Compression is named where we know what fits: to let DuckDB try every method on every
-- column takes a fifth of the time of a load.

CREATE TABLE engine (
    vessel_id VARCHAR USING COMPRESSION fsst,
    fuel_type VARCHAR,
    propeller VARCHAR,
    engine_type VARCHAR,
    engine_builder VARCHAR,
    engine_power_kw DOUBLE,
    snapshot_date DATE,
    valid_from TIMESTAMP USING COMPRESSION bitpacking,
    valid_to TIMESTAMP,
    first_seen TIMESTAMP USING COMPRESSION bitpacking,
    last_seen TIMESTAMP USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw VARCHAR,
    extra VARCHAR,
    fingerprint UBIGINT USING COMPRESSION uncompressed
);
COMMENT ON TABLE engine IS 'The engine: one row per version. What an answer does not tell keeps its value.';
COMMENT ON COLUMN engine.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN engine.fuel_type IS 'Fuel.';
COMMENT ON COLUMN engine.propeller IS 'Kind of propeller.';
COMMENT ON COLUMN engine.engine_type IS 'Model of the engine.';
COMMENT ON COLUMN engine.engine_builder IS 'Maker of the engine.';
COMMENT ON COLUMN engine.engine_power_kw IS 'Kilowatts.';
COMMENT ON COLUMN engine.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN engine.valid_from IS 'When the version was first observed. UTC.';
COMMENT ON COLUMN engine.valid_to IS 'When the next version was first observed, or the vessel was found to be another one; null while open. UTC.';
COMMENT ON COLUMN engine.first_seen IS 'First observation of the version. UTC.';
COMMENT ON COLUMN engine.last_seen IS 'Last observation of the version. UTC.';
COMMENT ON COLUMN engine.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN engine.entry IS 'That answer in the runs journal.';
COMMENT ON COLUMN engine.raw IS 'JSON object by the APIs key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN engine.extra IS 'JSON object: keys of that answer that no column has.';
COMMENT ON COLUMN engine.fingerprint IS 'Hash of the latest observation, to find the unchanged ones fast; says nothing by itself.';

CREATE TABLE management (
    vessel_id VARCHAR USING COMPRESSION fsst,
    manager VARCHAR,
    manager_email VARCHAR,
    manager_address VARCHAR,
    manager_website VARCHAR,
    registered_owner VARCHAR,
    registered_owner_email VARCHAR,
    registered_owner_address VARCHAR,
    registered_owner_website VARCHAR,
    ism VARCHAR,
    ism_email VARCHAR,
    ism_address VARCHAR,
    ism_website VARCHAR,
    ism_web VARCHAR,
    class_society VARCHAR,
    p_and_i VARCHAR,
    snapshot_date DATE,
    valid_from TIMESTAMP USING COMPRESSION bitpacking,
    valid_to TIMESTAMP,
    first_seen TIMESTAMP USING COMPRESSION bitpacking,
    last_seen TIMESTAMP USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw VARCHAR,
    extra VARCHAR,
    fingerprint UBIGINT USING COMPRESSION uncompressed
);
COMMENT ON TABLE management IS 'Who owns, manages, classes and insures a vessel: one row per version. What an answer does not tell keeps its value.';
COMMENT ON COLUMN management.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN management.manager IS 'Company that manages the vessel.';
COMMENT ON COLUMN management.manager_email IS 'Of the manager.';
COMMENT ON COLUMN management.manager_address IS 'Of the manager.';
COMMENT ON COLUMN management.manager_website IS 'Of the manager.';
COMMENT ON COLUMN management.registered_owner IS 'Company that owns the vessel.';
COMMENT ON COLUMN management.registered_owner_email IS 'Of the owner.';
COMMENT ON COLUMN management.registered_owner_address IS 'Of the owner.';
COMMENT ON COLUMN management.registered_owner_website IS 'Of the owner.';
COMMENT ON COLUMN management.ism IS 'Company responsible under the safety management code.';
COMMENT ON COLUMN management.ism_email IS 'Of that company.';
COMMENT ON COLUMN management.ism_address IS 'Of that company.';
COMMENT ON COLUMN management.ism_website IS 'Of that company.';
COMMENT ON COLUMN management.ism_web IS 'Of that company; a second address that the service keeps.';
COMMENT ON COLUMN management.class_society IS 'Classification society.';
COMMENT ON COLUMN management.p_and_i IS 'Protection and indemnity club.';
COMMENT ON COLUMN management.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN management.valid_from IS 'When the version was first observed. UTC.';
COMMENT ON COLUMN management.valid_to IS 'When the next version was first observed, or the vessel was found to be another one; null while open. UTC.';
COMMENT ON COLUMN management.first_seen IS 'First observation of the version. UTC.';
COMMENT ON COLUMN management.last_seen IS 'Last observation of the version. UTC.';
COMMENT ON COLUMN management.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN management.entry IS 'That answer in the runs journal.';
COMMENT ON COLUMN management.raw IS 'JSON object by the APIs key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN management.extra IS 'JSON object: keys of that answer that no column has.';
COMMENT ON COLUMN management.fingerprint IS 'Hash of the latest observation, to find the unchanged ones fast; says nothing by itself.';
