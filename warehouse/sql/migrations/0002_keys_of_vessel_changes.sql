-- The changes that reflaggings, renamings and ownership_changes show are joined to their vessels by the vessel_key
-- of internal.arrivals, which takes two thirds of the time of a join by vessel_id.
ALTER TABLE internal.vessel_changes RENAME TO vessel_changes_before;
CREATE TABLE internal.vessel_changes (
    vessel_key INTEGER USING COMPRESSION bitpacking,
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
INSERT INTO internal.vessel_changes BY NAME
SELECT * EXCLUDE (vessel_id), if(starts_with(vessel_id, 'MMSI'), -1, 1) * TRY_CAST(ltrim(vessel_id, 'IMOS') AS INTEGER) AS vessel_key
FROM   internal.vessel_changes_before
ORDER BY rowid;
DROP TABLE internal.vessel_changes_before;
