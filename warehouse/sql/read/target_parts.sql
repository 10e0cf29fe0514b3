-- target_parts: the greatest vessel_id of each so many open registrations in the order of their ids, and how
-- many these are.
SELECT max(vessel_id), count(*)
FROM   (
    SELECT vessel_id, (row_number() OVER (ORDER BY vessel_id) - 1) // $1 AS part
    FROM   registration
    WHERE  valid_to IS NULL
)
GROUP BY part
ORDER BY part;
