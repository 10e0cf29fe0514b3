-- The tables of a warehouse file. Views, macros and all comments are in sql/views: a build makes those
-- anew if the file has others than the program's.

-- The reference tables. They come from the program, not from the service, and a build fills them anew
-- if the program has other rows than the one before.
CREATE TABLE flags (
    flag VARCHAR,
    name VARCHAR,
    state VARCHAR,
    open_registry BOOLEAN
);

CREATE TABLE countries (
    spelling VARCHAR,
    flag VARCHAR,
    name VARCHAR
);

CREATE TABLE types (
    vessel_type VARCHAR,
    category VARCHAR,
    is_vessel BOOLEAN
);

CREATE TABLE vessel_types (
    spelling VARCHAR,
    name VARCHAR,
    category VARCHAR,
    is_vessel BOOLEAN
);

CREATE TABLE world_zones (
    value VARCHAR,
    name VARCHAR
);

CREATE TABLE navigational_statuses (
    value VARCHAR,
    meaning VARCHAR,
    zoned BOOLEAN,
    labels VARCHAR
);

CREATE TABLE maritime_identification_digits (
    digits VARCHAR,
    flag VARCHAR,
    name VARCHAR
);

-- What the runs did: the credit ledger, and the proof of what was seen.
CREATE TABLE runs (
    run_id VARCHAR,
    job VARCHAR,
    snapshot_date DATE,
    started_at TIMESTAMPTZ,
    finished_at TIMESTAMPTZ,
    state VARCHAR,
    stop VARCHAR,
    reason VARCHAR,
    requests INTEGER,
    credits_planned BIGINT,
    credits_spent BIGINT,
    credits_unknown BIGINT,
    balance_before BIGINT,
    balance_after BIGINT,
    continues VARCHAR,
    rows BIGINT,
    report JSON
);

CREATE TABLE coverage (
    run_id VARCHAR,
    snapshot_date DATE,
    operation VARCHAR,
    kind VARCHAR,
    value VARCHAR,
    pages INTEGER,
    expected_rows INTEGER,
    received_rows INTEGER,
    state VARCHAR,
    reason VARCHAR,
    navigational_status VARCHAR,
    world_zone VARCHAR,
    laden VARCHAR,
    for_order BOOLEAN,
    vessel_type_filter VARCHAR
);

CREATE TABLE requests (
    run_id VARCHAR,
    entry INTEGER,
    snapshot_date DATE,
    operation VARCHAR,
    parameters VARCHAR,
    sent_at TIMESTAMPTZ,
    received_at TIMESTAMPTZ,
    http_status INTEGER,
    credits INTEGER,
    charge VARCHAR,
    outcome VARCHAR,
    rows INTEGER,
    vessel_number INTEGER
);

CREATE TABLE issues (
    run_id VARCHAR,
    entry INTEGER,
    snapshot_date DATE,
    vessel_id VARCHAR,
    dataset VARCHAR,
    field VARCHAR,
    raw_value VARCHAR,
    reason VARCHAR,
    vessel_number INTEGER
);

-- The datasets: one row per version of a vessel. A version is opened by the first observation of
-- its values and closed by the first observation of others.
--
-- Compression is named where we know what fits: to let DuckDB try every method on every column
-- takes a fifth of the time of a load.
CREATE TABLE registration (
    vessel_id VARCHAR USING COMPRESSION fsst,
    imo INTEGER USING COMPRESSION bitpacking,
    mmsi VARCHAR USING COMPRESSION fsst,
    name VARCHAR USING COMPRESSION fsst,
    callsign VARCHAR USING COMPRESSION fsst,
    flag VARCHAR USING COMPRESSION dictionary,
    country VARCHAR USING COMPRESSION dictionary,
    country_iso VARCHAR USING COMPRESSION dictionary,
    ship_type VARCHAR USING COMPRESSION dictionary,
    vessel_type VARCHAR USING COMPRESSION dictionary,
    category VARCHAR USING COMPRESSION dictionary,
    is_vessel BOOLEAN,
    source VARCHAR USING COMPRESSION dictionary,
    snapshot_date DATE,
    valid_from TIMESTAMPTZ USING COMPRESSION bitpacking,
    valid_to TIMESTAMPTZ,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON USING COMPRESSION fsst,
    extra JSON,
    fingerprint UBIGINT USING COMPRESSION uncompressed,
    closed_date DATE,
    untold JSON,
    known_since TIMESTAMPTZ,
    vessel_number INTEGER
);

CREATE TABLE particulars (
    vessel_id VARCHAR USING COMPRESSION fsst,
    eni VARCHAR,
    length_m DOUBLE,
    beam_m DOUBLE,
    deadweight_t DOUBLE,
    gross_tonnage DOUBLE,
    net_tonnage DOUBLE,
    teu INTEGER,
    year_built INTEGER,
    hull VARCHAR,
    builder VARCHAR,
    material VARCHAR,
    place_of_build VARCHAR,
    ballast_water_m3 DOUBLE,
    fresh_water_m3 DOUBLE,
    crude_oil_m3 DOUBLE,
    gas_m3 DOUBLE,
    grain_m3 DOUBLE,
    bale_m3 DOUBLE,
    operation VARCHAR USING COMPRESSION dictionary,
    updated_at TIMESTAMPTZ,
    snapshot_date DATE,
    valid_from TIMESTAMPTZ USING COMPRESSION bitpacking,
    valid_to TIMESTAMPTZ,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON,
    extra JSON,
    fingerprint UBIGINT USING COMPRESSION uncompressed,
    closed_date DATE,
    untold JSON,
    vessel_number INTEGER
);

CREATE TABLE engine (
    vessel_id VARCHAR USING COMPRESSION fsst,
    fuel_type VARCHAR,
    propeller VARCHAR,
    engine_type VARCHAR,
    engine_builder VARCHAR,
    engine_power_kw DOUBLE,
    snapshot_date DATE,
    valid_from TIMESTAMPTZ USING COMPRESSION bitpacking,
    valid_to TIMESTAMPTZ,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON,
    extra JSON,
    fingerprint UBIGINT USING COMPRESSION uncompressed,
    closed_date DATE,
    untold JSON,
    vessel_number INTEGER
);

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
    valid_from TIMESTAMPTZ USING COMPRESSION bitpacking,
    valid_to TIMESTAMPTZ,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON,
    extra JSON,
    fingerprint UBIGINT USING COMPRESSION uncompressed,
    closed_date DATE,
    untold JSON,
    vessel_number INTEGER
);

-- What vessels did, as observed: where they were, and how long they were listed or in a status.
CREATE TABLE positions (
    vessel_id VARCHAR USING COMPRESSION fsst,
    position_at TIMESTAMPTZ,
    seen_at TIMESTAMPTZ,
    latitude DOUBLE,
    longitude DOUBLE,
    speed_kn DOUBLE,
    course_deg DOUBLE,
    heading_deg DOUBLE,
    draught_m DOUBLE,
    max_draught_m DOUBLE,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    destination VARCHAR,
    destination_unlocode VARCHAR,
    eta TIMESTAMPTZ,
    last_port VARCHAR,
    last_port_unlocode VARCHAR,
    departed_at TIMESTAMPTZ,
    data_source VARCHAR USING COMPRESSION dictionary,
    operation VARCHAR USING COMPRESSION dictionary,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw JSON,
    extra JSON,
    vessel_number INTEGER
);

CREATE TABLE listed (
    vessel_id VARCHAR USING COMPRESSION fsst,
    from_date DATE,
    to_date DATE,
    last_date DATE,
    absent_on DATE,
    run_id VARCHAR USING COMPRESSION dictionary,
    has_country BOOLEAN,
    has_type BOOLEAN
);

CREATE TABLE episodes (
    vessel_id VARCHAR USING COMPRESSION fsst,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    laden VARCHAR,
    for_order BOOLEAN,
    vessel_type VARCHAR,
    sweep VARCHAR USING COMPRESSION dictionary,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    first_date DATE,
    last_date DATE,
    nights INTEGER,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    nights_unseen INTEGER,
    vessel_number INTEGER
);

-- Which numbers belong to which hull. An IMO number stays with the hull; an MMSI is a claim.
CREATE TABLE vessel_aliases (
    alias_id VARCHAR,
    vessel_id VARCHAR USING COMPRESSION fsst,
    since TIMESTAMPTZ,
    until TIMESTAMPTZ,
    snapshot_date DATE,
    reason VARCHAR,
    run_id VARCHAR USING COMPRESSION dictionary
);

CREATE TABLE identity_conflicts (
    vessel_id VARCHAR USING COMPRESSION fsst,
    dataset VARCHAR,
    field VARCHAR,
    raw_value VARCHAR,
    reason VARCHAR,
    snapshot_date DATE,
    last_date DATE,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);

CREATE TABLE second_mmsi_claims (
    vessel_id VARCHAR USING COMPRESSION fsst,
    mmsi VARCHAR USING COMPRESSION fsst,
    first_date DATE,
    last_date DATE,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    country VARCHAR,
    until DATE
);

-- What would take longer to find every night, so that it is kept: the latest of each vessel, and
-- how each partition was last covered. Views and other tables give analysts the same.
CREATE TABLE internal.latest (
    vessel_id VARCHAR USING COMPRESSION fsst,
    latitude DOUBLE,
    longitude DOUBLE,
    speed_kn DOUBLE,
    course_deg DOUBLE,
    destination VARCHAR,
    eta TIMESTAMPTZ,
    position_at TIMESTAMPTZ,
    position_seen_at TIMESTAMPTZ,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    navigational_status_at TIMESTAMPTZ USING COMPRESSION bitpacking,
    world_zone VARCHAR USING COMPRESSION dictionary,
    sighting_seen_at TIMESTAMPTZ
);

CREATE TABLE partitions (
    operation VARCHAR,
    kind VARCHAR,
    value VARCHAR,
    covered_on DATE,
    covered_at TIMESTAMPTZ,
    rows INTEGER,
    zeros INTEGER,
    proven_on DATE
);

-- In which fields the versions differ. A view over the versions would have to compare all of
-- them, and could not know that one night had two values.
CREATE TABLE changes (
    vessel_id VARCHAR USING COMPRESSION fsst,
    dataset VARCHAR USING COMPRESSION dictionary,
    field VARCHAR USING COMPRESSION dictionary,
    old_value VARCHAR,
    new_value VARCHAR,
    seen_before TIMESTAMPTZ,
    seen_after TIMESTAMPTZ,
    snapshot_date DATE,
    flapping BOOLEAN,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);

-- Counts by night, a few rows each, so that a year of them is read at once.
CREATE TABLE fleet_daily (
    snapshot_date DATE,
    flag VARCHAR USING COMPRESSION dictionary,
    category VARCHAR USING COMPRESSION dictionary,
    is_vessel BOOLEAN,
    listed INTEGER,
    seen INTEGER,
    run_id VARCHAR USING COMPRESSION dictionary
);

CREATE TABLE zone_daily (
    snapshot_date DATE,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    laden VARCHAR,
    for_order BOOLEAN,
    vessel_type VARCHAR,
    is_vessel BOOLEAN,
    vessels INTEGER,
    state VARCHAR USING COMPRESSION dictionary,
    run_id VARCHAR USING COMPRESSION dictionary
);

-- What arrivals, departures and the view status_searches would have to find in the whole history: each
-- night adds its own, and a table has only what later nights leave as it is, but latest_stays.
CREATE TABLE internal.searches (
    snapshot_date DATE,
    sweep VARCHAR USING COMPRESSION dictionary,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    filters VARCHAR,
    state VARCHAR USING COMPRESSION dictionary,
    received_rows INTEGER,
    proves_absence BOOLEAN,
    proven_before DATE,
    proven_after DATE,
    covers_zone BOOLEAN,
    zone_proven_before DATE,
    zone_proven_after DATE
);

CREATE TABLE internal.latest_stays (
    vessel_id VARCHAR USING COMPRESSION fsst,
    known_as VARCHAR USING COMPRESSION fsst,
    search VARCHAR USING COMPRESSION dictionary,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    first_date DATE,
    last_date DATE,
    over BOOLEAN
);

CREATE TABLE internal.arrivals (
    snapshot_date DATE,
    world_zone VARCHAR USING COMPRESSION dictionary,
    vessel_key INTEGER USING COMPRESSION bitpacking,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    from_zone VARCHAR USING COMPRESSION dictionary,
    not_before DATE,
    proof VARCHAR USING COMPRESSION dictionary,
    first_seen TIMESTAMPTZ USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);

CREATE TABLE internal.departures (
    snapshot_date DATE,
    world_zone VARCHAR USING COMPRESSION dictionary,
    vessel_key INTEGER USING COMPRESSION bitpacking,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    to_zone VARCHAR USING COMPRESSION dictionary,
    not_before DATE,
    proof VARCHAR USING COMPRESSION dictionary,
    last_seen TIMESTAMPTZ USING COMPRESSION bitpacking
);

CREATE TABLE internal.vessel_changes (
    vessel_id VARCHAR USING COMPRESSION fsst,
    field VARCHAR USING COMPRESSION dictionary,
    old_value VARCHAR,
    new_value VARCHAR,
    seen_before TIMESTAMPTZ,
    seen_after TIMESTAMPTZ,
    snapshot_date DATE,
    together BOOLEAN,
    seen_again BOOLEAN,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);
