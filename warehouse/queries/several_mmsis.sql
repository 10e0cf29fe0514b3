-- Vessels for which several MMSIs were reported, and when.
-- Two that overlap are normal while a vessel changes its flag; three, or two for weeks, are not.
SELECT vessel_id, count(*) AS mmsis, string_agg(mmsi, ' > ' ORDER BY first_seen, mmsi) AS in_order, bool_or(overlap) AS at_the_same_time
FROM (
    SELECT *, first_seen <= lag(last_seen) OVER (PARTITION BY vessel_id ORDER BY first_seen, mmsi) AS overlap
    FROM   mmsi_claims
)
GROUP BY vessel_id
HAVING count(*) > 1
ORDER BY mmsis DESC, vessel_id;
