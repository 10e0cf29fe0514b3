-- A stay names its vessel, and begins before it ends.
SELECT 'listed: ' || count(*) || ' stays without vessel, or that end before they begin'
FROM   listed
WHERE  vessel_id IS NULL OR last_date < from_date OR to_date < from_date
HAVING count(*) > 0;
