-- shown: by which IMO numbers an MMSI is shown tonight, if that matters: because it is asked,
-- or because there are two.
CREATE OR REPLACE TEMP TABLE shown AS
SELECT mmsi, min(imo) AS least_imo, max(imo) AS greatest_imo, min(seen_at) AS since, arg_min(run_id, seen_at) AS run_id
FROM   lake_identities
WHERE  imo IS NOT NULL AND mmsi IS NOT NULL
GROUP BY mmsi
HAVING min(imo) <> max(imo) OR mmsi IN (SELECT mmsi FROM asked);
