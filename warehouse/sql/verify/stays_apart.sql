-- The stays of a vessel on the list do not overlap, and only the last may be open.
SELECT 'listed: ' || count(*) || ' stays that overlap the one before, such as one of ' || min(vessel_id)
FROM (
    SELECT vessel_id, from_date, lag(coalesce(to_date, DATE '9999-12-31')) OVER (PARTITION BY vessel_id ORDER BY from_date) AS before
    FROM   listed
    WHERE  vessel_id IN (SELECT vessel_id FROM listed GROUP BY vessel_id HAVING count(*) > 1)
)
WHERE  before >= from_date
HAVING count(*) > 0;
