-- stays_moved: the vessels that tonight can give arrivals or departures that stay as they are.
CREATE OR REPLACE TEMP TABLE stays_moved AS
SELECT vessel_id FROM stays_tonight WHERE opened
UNION
SELECT vessel_id FROM stays_recomputed;
