-- present: the vessels of tonight's listings, each once. Few come twice, and only those are
-- sorted out.
CREATE OR REPLACE TEMP VIEW present AS
SELECT vessel_id, run_id FROM night_listings ANTI JOIN rows_registration USING (vessel_id)
UNION ALL
SELECT vessel_id, min(run_id) FROM night_listings SEMI JOIN rows_registration USING (vessel_id) GROUP BY vessel_id;
