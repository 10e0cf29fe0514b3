-- stays_departed: the stays of those vessels, and which of them are kept: those that a later night can
-- change, and all that were last seen no earlier.
-- reads: internal.searches, stays_known
-- makes: stays_departed
-- needs: stays_known
-- after: searches_zone_proven
CREATE OR REPLACE TEMP TABLE stays_departed AS
SELECT *, last_date >= min(last_date) FILTER (NOT settled) OVER (PARTITION BY vessel_id) AS kept
FROM   ({{template "departed" "stays_known"}}) AS s;
