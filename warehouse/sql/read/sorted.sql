-- sorted: whether the open registrations are few, and lie in the order of vessel_id.
SELECT coalesce(bool_and(vessel_id > before), true) AND count(*) <= $1
FROM   (SELECT vessel_id, lag(vessel_id) OVER () AS before FROM registration WHERE valid_to IS NULL);
