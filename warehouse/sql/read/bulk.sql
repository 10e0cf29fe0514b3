-- bulk: what the last answers of the bulk location search had: 0 if there is none, 1 if the position of a vessel was
-- last seen in one of them, 2 if they had no position.
WITH answered AS (
    SELECT received_at FROM requests WHERE operation = $1 AND outcome = 'ok' ORDER BY received_at DESC LIMIT 20
)
SELECT CASE WHEN NOT EXISTS (FROM answered) THEN 0
            WHEN EXISTS (FROM internal.latest SEMI JOIN answered ON received_at = position_seen_at) THEN 1
            ELSE 2 END;
