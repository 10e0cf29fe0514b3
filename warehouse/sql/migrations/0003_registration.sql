-- registration: one row per version. A version is opened by the first observation of its values and
-- closed by the first observation of others.
--
-- Compression is named where we know what fits: to let DuckDB try every method on every
-- column takes a fifth of the time of a load.

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
COMMENT ON TABLE registration IS 'Who a vessel is and under which flag: one row per version. What an answer does not tell keeps its value.';
COMMENT ON COLUMN registration.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN registration.imo IS 'IMO number; null if none was shown.';
COMMENT ON COLUMN registration.mmsi IS 'The MMSI in use: nine digits, leading zeros count.';
COMMENT ON COLUMN registration.name IS 'In upper case, as AIS writes it.';
COMMENT ON COLUMN registration.callsign IS 'Radio call sign.';
COMMENT ON COLUMN registration.flag IS 'ISO 3166 alpha-2; see countries.';
COMMENT ON COLUMN registration.country IS 'The country of the flag, in the one spelling of countries.name.';
COMMENT ON COLUMN registration.country_iso IS 'The code that the service gives; known to be wrong at times, and no reason for a new version.';
COMMENT ON COLUMN registration.ship_type IS 'Broad category, as the service has it.';
COMMENT ON COLUMN registration.vessel_type IS 'Specific type, in the one spelling of vessel_types.name.';
COMMENT ON COLUMN registration.category IS 'Of the specific type; see vessel_types.';
COMMENT ON COLUMN registration.is_vessel IS 'False for beacons, buoys, platforms and aircraft.';
COMMENT ON COLUMN registration.source IS 'The lake table of the evidence: listings, particulars, or sightings for a vessel that neither of them has shown.';
COMMENT ON COLUMN registration.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN registration.valid_from IS 'When the version was first observed. UTC.';
COMMENT ON COLUMN registration.valid_to IS 'When the next version was first observed, or the vessel was found to be another one; null while open. UTC.';
COMMENT ON COLUMN registration.first_seen IS 'First observation of the version. UTC.';
COMMENT ON COLUMN registration.last_seen IS 'Last observation of the version. UTC.';
COMMENT ON COLUMN registration.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN registration.entry IS 'That answer in the runs journal.';
COMMENT ON COLUMN registration.raw IS 'JSON object by the APIs key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN registration.extra IS 'JSON object: keys of that answer that no column has.';
COMMENT ON COLUMN registration.fingerprint IS 'Hash of the latest observation, to find the unchanged ones fast; says nothing by itself.';
