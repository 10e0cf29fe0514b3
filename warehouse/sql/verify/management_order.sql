-- A version of management names its vessel, and begins before it ends.
SELECT 'management: ' || count(*) || ' versions without vessel, or that end before they begin'
FROM   management
WHERE  vessel_id IS NULL OR valid_from IS NULL OR valid_to <= valid_from
HAVING count(*) > 0;
