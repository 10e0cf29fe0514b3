-- A vessel has at most one latest position and status. With the other checks this makes it
-- once in the view vessels.
SELECT 'latest: ' || count(*) || ' vessels more than once, such as ' || min(vessel_id)
FROM   (SELECT vessel_id FROM internal.latest GROUP BY vessel_id HAVING count(*) > 1)
HAVING count(*) > 0;
