-- present: the vessels of tonight's listings, each once, and whether the answer gave a country
-- and a type. A country that was derived from the country code is null in the answer. Few
-- vessels are listed twice, and only those are grouped.
-- reads: night_listings, repeated_registration
-- makes: present
-- needs: night_listings
CREATE OR REPLACE TEMP VIEW present AS
-- standing: each listing of tonight, and which of the two its answer has
WITH standing AS (
    SELECT vessel_id, run_id, country IS NOT NULL AND NOT coalesce(contains(raw, '"country":null'), false) AS has_country, vessel_type IS NOT NULL AS has_type
    FROM   night_listings
)
SELECT vessel_id, run_id, has_country, has_type FROM standing ANTI JOIN repeated_registration USING (vessel_id)
UNION ALL
SELECT vessel_id, min(run_id), bool_or(has_country), bool_or(has_type) FROM standing SEMI JOIN repeated_registration USING (vessel_id) GROUP BY vessel_id;
