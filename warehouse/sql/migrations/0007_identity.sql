-- Which numbers belong to which hull. An IMO number stays with the hull; an MMSI is a claim.

CREATE TABLE vessel_aliases (
    alias_id VARCHAR,
    vessel_id VARCHAR USING COMPRESSION fsst,
    since TIMESTAMP,
    until TIMESTAMP,
    snapshot_date DATE,
    reason VARCHAR,
    run_id VARCHAR USING COMPRESSION dictionary
);
COMMENT ON TABLE vessel_aliases IS 'One row per vessel that was known by its MMSI alone until it showed an IMO number. From then on the alias is not a row of vessels; its history is not rewritten.';
COMMENT ON COLUMN vessel_aliases.alias_id IS 'The id that the vessel had before it showed its IMO number.';
COMMENT ON COLUMN vessel_aliases.vessel_id IS 'The id that it has since.';
COMMENT ON COLUMN vessel_aliases.since IS 'When it showed it. UTC.';
COMMENT ON COLUMN vessel_aliases.until IS 'When the MMSI was seen on a vessel of its own again; null while the alias holds. UTC.';
COMMENT ON COLUMN vessel_aliases.snapshot_date IS 'The night of the link.';
COMMENT ON COLUMN vessel_aliases.reason IS 'What the link rests on.';
COMMENT ON COLUMN vessel_aliases.run_id IS 'The run whose answer showed both numbers.';

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
COMMENT ON TABLE identity_conflicts IS 'One row per vessel of a contradiction between vessels. They are recorded and never guessed.';
COMMENT ON COLUMN identity_conflicts.vessel_id IS 'One of the vessels.';
COMMENT ON COLUMN identity_conflicts.dataset IS 'The dataset of the contradiction.';
COMMENT ON COLUMN identity_conflicts.field IS 'Our column.';
COMMENT ON COLUMN identity_conflicts.raw_value IS 'The value that several vessels claim.';
COMMENT ON COLUMN identity_conflicts.reason IS 'What contradicts.';
COMMENT ON COLUMN identity_conflicts.snapshot_date IS 'The first night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.last_date IS 'The last night of the contradiction.';
COMMENT ON COLUMN identity_conflicts.run_id IS 'The run that met it first.';
COMMENT ON COLUMN identity_conflicts.entry IS 'That answer in the runs journal.';

CREATE TABLE second_mmsi_claims (
    vessel_id VARCHAR USING COMPRESSION fsst,
    mmsi VARCHAR USING COMPRESSION fsst,
    first_date DATE,
    last_date DATE,
    first_seen TIMESTAMP USING COMPRESSION bitpacking,
    last_seen TIMESTAMP USING COMPRESSION bitpacking,
    run_id VARCHAR USING COMPRESSION dictionary
);
COMMENT ON TABLE second_mmsi_claims IS 'MMSIs that a vessel showed beside the one of its registration, as between two flags. The whole picture is the view mmsi_claims.';
COMMENT ON COLUMN second_mmsi_claims.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN second_mmsi_claims.mmsi IS 'The other MMSI.';
COMMENT ON COLUMN second_mmsi_claims.first_date IS 'The first night on which it was shown.';
COMMENT ON COLUMN second_mmsi_claims.last_date IS 'The last night on which it was shown.';
COMMENT ON COLUMN second_mmsi_claims.first_seen IS 'First observation. UTC.';
COMMENT ON COLUMN second_mmsi_claims.last_seen IS 'Last observation. UTC.';
COMMENT ON COLUMN second_mmsi_claims.run_id IS 'The run that saw it first.';

CREATE VIEW mmsi_claims AS
SELECT vessel_id, mmsi, min(first_seen) AS first_seen, max(last_seen) AS last_seen, min(run_id) AS run_id
FROM (
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL
    UNION ALL
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id FROM second_mmsi_claims
)
GROUP BY vessel_id, mmsi;
COMMENT ON VIEW mmsi_claims IS 'One row per MMSI that a vessel with an IMO number has shown: a claim with an interval, since an MMSI follows the flag and is used again.';
COMMENT ON COLUMN mmsi_claims.vessel_id IS 'The vessel.';
COMMENT ON COLUMN mmsi_claims.mmsi IS 'The MMSI.';
COMMENT ON COLUMN mmsi_claims.first_seen IS 'First observation. UTC.';
COMMENT ON COLUMN mmsi_claims.last_seen IS 'Last observation. UTC.';
COMMENT ON COLUMN mmsi_claims.run_id IS 'The run that saw it first.';
