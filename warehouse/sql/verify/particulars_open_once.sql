-- A vessel has at most one open version of its particulars.
SELECT 'particulars: ' || count(*) || ' vessels with several open versions, such as ' || min(vessel_id)
FROM   (SELECT vessel_id FROM particulars WHERE valid_to IS NULL GROUP BY vessel_id HAVING count(*) > 1)
HAVING count(*) > 0;
