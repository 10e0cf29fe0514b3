-- mmsi_claims: the MMSIs that were reported with each IMO number.
CREATE OR REPLACE VIEW mmsi_claims AS
SELECT vessel_id, mmsi, min(first_seen) AS first_seen, max(last_seen) AS last_seen, min(run_id) AS run_id
FROM (
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL
    UNION ALL
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id FROM second_mmsi_claims
)
GROUP BY vessel_id, mmsi;
COMMENT ON VIEW mmsi_claims IS 'One row per vessel with an IMO number and MMSI that was reported for it: a claim with an interval, since an MMSI follows the flag and is reused.';
COMMENT ON COLUMN mmsi_claims.vessel_id IS 'The vessel.';
COMMENT ON COLUMN mmsi_claims.mmsi IS 'The MMSI.';
COMMENT ON COLUMN mmsi_claims.first_seen IS 'First observation.';
COMMENT ON COLUMN mmsi_claims.last_seen IS 'Last observation.';
COMMENT ON COLUMN mmsi_claims.run_id IS 'The run that saw it first.';
