-- answered: the numbers that a lookup by one of two operations found a vessel for, since a moment.
SELECT DISTINCT vessel_number
FROM   requests
WHERE  sent_at > $1::TIMESTAMPTZ AND operation IN ($2, $3) AND outcome = 'ok' AND vessel_number IS NOT NULL;
