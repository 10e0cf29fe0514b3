-- bulk: what the bulk location search may be asked for: 0 if it was never answered, so that one request shows what
-- answers have, 1 if the position of a vessel was last seen in one of the last answers, 2 if they had no position. A run
-- in which it answered nothing, as it does where the key may not use it, counts as 2 for a week, and then as 0.
WITH newest AS (
    SELECT max(sent_at) AS asked_at, bool_or(outcome = 'ok') AS answered FROM requests WHERE operation = $1 GROUP BY run_id ORDER BY asked_at DESC LIMIT 1
), answers AS (
    SELECT received_at FROM requests WHERE operation = $1 AND outcome = 'ok' ORDER BY received_at DESC LIMIT 20
)
SELECT CASE WHEN EXISTS (FROM newest WHERE NOT answered) THEN if((SELECT asked_at FROM newest) > $2::TIMESTAMPTZ - INTERVAL 7 DAY, 2, 0)
            WHEN NOT EXISTS (FROM answers) THEN 0
            WHEN EXISTS (FROM internal.latest SEMI JOIN answers ON received_at = position_seen_at) THEN 1
            ELSE 2 END;
