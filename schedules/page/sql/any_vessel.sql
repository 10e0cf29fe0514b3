-- any_vessel.sql: the id of some vessel.
SELECT vessel_id FROM registration WHERE valid_to IS NULL LIMIT 1;
