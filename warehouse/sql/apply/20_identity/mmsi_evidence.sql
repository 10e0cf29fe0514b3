-- mmsi_evidence: the IMO numbers that tonight's rows give with an MMSI, for the MMSIs whose holder is
-- wanted and for those with several IMO numbers.
-- reads: lake_identities, mmsi_wanted
-- makes: mmsi_evidence
-- columns: mmsi VARCHAR, least_imo INTEGER, greatest_imo INTEGER, since TIMESTAMPTZ, run_id VARCHAR
-- needs: lake_identities
CREATE OR REPLACE TEMP TABLE mmsi_evidence AS
SELECT mmsi, min(imo) AS least_imo, max(imo) AS greatest_imo, min(seen_at) AS since, arg_min(run_id, seen_at) AS run_id
FROM   lake_identities
WHERE  imo IS NOT NULL AND mmsi IS NOT NULL
GROUP BY mmsi
HAVING min(imo) <> max(imo) OR mmsi IN (SELECT mmsi FROM mmsi_wanted);
