-- second_mmsis: of the vessels that show several MMSIs tonight, which is the one in use. The
-- one whose country digits agree with the flag of its own row; else the one that was first
-- shown on the latest night; else the greater. Equal nights choose equally.
CREATE OR REPLACE TEMP TABLE second_mmsis AS
WITH tonight AS (
    SELECT n.vessel_id, n.mmsi, min(n.seen_at) AS first_seen, max(n.seen_at) AS last_seen, arg_min(n.run_id, n.seen_at) AS run_id,
           bool_or(EXISTS (FROM maritime_identification_digits AS d WHERE d.digits = left(n.mmsi, 3) AND d.flag = n.flag)) AS agrees
    FROM   night_registration AS n
    SEMI JOIN rows_registration AS t ON t.vessel_id = n.vessel_id
    WHERE  n.imo IS NOT NULL AND n.mmsi IS NOT NULL
    GROUP BY n.vessel_id, n.mmsi
    QUALIFY count(*) OVER (PARTITION BY n.vessel_id) > 1
), shown_before AS (
    SELECT vessel_id, mmsi, min(first_date) AS first_date
    FROM (
        SELECT vessel_id, mmsi, snapshot_date AS first_date FROM registration WHERE vessel_id IN (SELECT vessel_id FROM tonight)
        UNION ALL
        SELECT vessel_id, mmsi, first_date FROM second_mmsi_claims
    )
    GROUP BY vessel_id, mmsi
)
SELECT t.*, row_number() OVER (PARTITION BY t.vessel_id ORDER BY t.agrees DESC, b.first_date DESC NULLS FIRST, t.mmsi DESC) > 1 AS second
FROM   tonight AS t
LEFT JOIN shown_before AS b USING (vessel_id, mmsi);
