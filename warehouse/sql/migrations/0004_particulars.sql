-- particulars: one row per version. A version is opened by the first observation of its values and
-- closed by the first observation of others.
--
-- Compression is named where we know what fits: to let DuckDB try every method on every
-- column takes a fifth of the time of a load.

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
    ballast_water DOUBLE,
    fresh_water DOUBLE,
    crude_oil DOUBLE,
    gas_m3 DOUBLE,
    grain_m3 DOUBLE,
    bale_m3 DOUBLE,
    operation VARCHAR USING COMPRESSION dictionary,
    updated_at TIMESTAMP,
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
COMMENT ON TABLE particulars IS 'Dimensions, tonnage, build and capacity: one row per version. What an answer does not tell keeps its value.';
COMMENT ON COLUMN particulars.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN particulars.eni IS 'European number of an inland vessel.';
COMMENT ON COLUMN particulars.length_m IS 'Metres.';
COMMENT ON COLUMN particulars.beam_m IS 'Metres.';
COMMENT ON COLUMN particulars.deadweight_t IS 'Tonnes.';
COMMENT ON COLUMN particulars.gross_tonnage IS 'Gross tonnage.';
COMMENT ON COLUMN particulars.net_tonnage IS 'Net tonnage.';
COMMENT ON COLUMN particulars.teu IS 'Containers of twenty feet.';
COMMENT ON COLUMN particulars.year_built IS 'Year.';
COMMENT ON COLUMN particulars.hull IS 'Kind of hull.';
COMMENT ON COLUMN particulars.builder IS 'Yard.';
COMMENT ON COLUMN particulars.material IS 'Of the hull.';
COMMENT ON COLUMN particulars.place_of_build IS 'Place of the yard.';
COMMENT ON COLUMN particulars.ballast_water IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.fresh_water IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.crude_oil IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.gas_m3 IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.grain_m3 IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.bale_m3 IS 'Capacity, cubic metres.';
COMMENT ON COLUMN particulars.operation IS 'The operation of the evidence: particulars or info.';
COMMENT ON COLUMN particulars.updated_at IS 'When the service says it last touched its record; moves without news, and no reason for a new version. UTC.';
COMMENT ON COLUMN particulars.snapshot_date IS 'The night that opened the version.';
COMMENT ON COLUMN particulars.valid_from IS 'When the version was first observed. UTC.';
COMMENT ON COLUMN particulars.valid_to IS 'When the next version was first observed, or the vessel was found to be another one; null while open. UTC.';
COMMENT ON COLUMN particulars.first_seen IS 'First observation of the version. UTC.';
COMMENT ON COLUMN particulars.last_seen IS 'Last observation of the version. UTC.';
COMMENT ON COLUMN particulars.run_id IS 'The run whose answer opened the version.';
COMMENT ON COLUMN particulars.entry IS 'That answer in the runs journal.';
COMMENT ON COLUMN particulars.raw IS 'JSON object by the APIs key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN particulars.extra IS 'JSON object: keys of that answer that no column has.';
COMMENT ON COLUMN particulars.fingerprint IS 'Hash of the latest observation, to find the unchanged ones fast; says nothing by itself.';
