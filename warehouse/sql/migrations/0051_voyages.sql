-- Voyages are a dataset of their own: versions of what a ship says of her voyage, with or without a position.
-- Positions say which key of an answer their time is from; internal.latest keeps what a repeated position is compared with.
CREATE TABLE voyages (
    vessel_id VARCHAR USING COMPRESSION fsst,
    destination VARCHAR,
    locode VARCHAR,
    eta TIMESTAMPTZ,
    last_port VARCHAR,
    last_port_locode VARCHAR,
    departed_at TIMESTAMPTZ,
    draught_m DOUBLE,
    max_draught_m DOUBLE,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    laden VARCHAR USING COMPRESSION dictionary,
    for_order BOOLEAN,
    operation VARCHAR USING COMPRESSION dictionary,
    updated_at TIMESTAMPTZ,
    snapshot_date DATE,
    valid_from TIMESTAMPTZ USING COMPRESSION bitpacking,
    valid_to TIMESTAMPTZ,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    first_looked_up TIMESTAMPTZ,
    last_looked_up TIMESTAMPTZ,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON,
    extra JSON,
    fingerprint UBIGINT USING COMPRESSION uncompressed,
    closed_date DATE,
    untold JSON,
    vessel_number INTEGER
);
CREATE TABLE internal.reported_statuses (
    vessel_id VARCHAR USING COMPRESSION fsst,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    position_at TIMESTAMPTZ,
    seen_at TIMESTAMPTZ,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER
);
ALTER TABLE positions ADD COLUMN position_at_from VARCHAR;
ALTER TABLE internal.latest ADD COLUMN place_seen_at TIMESTAMPTZ;
ALTER TABLE internal.latest ADD COLUMN dated_at TIMESTAMPTZ;
ALTER TABLE internal.latest ADD COLUMN heading_deg DOUBLE;
ALTER TABLE internal.latest ADD COLUMN draught_m DOUBLE;
ALTER TABLE internal.latest ADD COLUMN max_draught_m DOUBLE;
ALTER TABLE internal.latest ADD COLUMN reported_status VARCHAR;
ALTER TABLE internal.latest ADD COLUMN destination_unlocode VARCHAR;
ALTER TABLE internal.latest ADD COLUMN last_port VARCHAR;
ALTER TABLE internal.latest ADD COLUMN last_port_unlocode VARCHAR;
ALTER TABLE internal.latest ADD COLUMN departed_at TIMESTAMPTZ;
ALTER TABLE internal.latest ADD COLUMN status_known_at TIMESTAMPTZ;
ALTER TABLE internal.latest ADD COLUMN laden VARCHAR;
ALTER TABLE internal.latest ADD COLUMN laden_at TIMESTAMPTZ;
ALTER TABLE internal.latest ADD COLUMN for_order BOOLEAN;
ALTER TABLE internal.latest ADD COLUMN for_order_at TIMESTAMPTZ;
