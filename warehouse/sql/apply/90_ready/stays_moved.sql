-- stays_moved: the vessels that tonight can give arrivals or departures that stay as they are.
-- reads: stays_recomputed, stays_tonight
-- makes: stays_moved
-- needs: stays_tonight WHERE opened or stays_recomputed
CREATE OR REPLACE TEMP TABLE stays_moved AS
SELECT vessel_id FROM stays_tonight WHERE opened
UNION
SELECT vessel_id FROM stays_recomputed;
