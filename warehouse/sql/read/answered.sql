-- answered: the numbers that a lookup by one of some operations found a vessel for, since a moment.
SELECT DISTINCT vessel_number
FROM   requests
WHERE  sent_at > $1::TIMESTAMPTZ AND list_contains($2::VARCHAR[], operation) AND outcome = 'ok' AND vessel_number IS NOT NULL;
