-- feed_nights: the nights with a run that a cursor does not have, or all from $4 if it is no cursor: each with its last run
-- and its verdict. $1 is the newest run of the cursor, $2 how many runs up to it were published, and $3 those that were
-- paid for and were not. If these numbers do not fit, because runs were rolled back or a clock went back, all nights are new.
WITH known AS (
    SELECT count(*) FILTER (run_id <= $1::VARCHAR AND NOT list_contains($3::VARCHAR[], run_id)) = $2::BIGINT AS fits FROM runs
)
SELECT strftime(r.snapshot_date, '%Y-%m-%d'), max(r.run_id), any_value(v.verdict), any_value(v.reason)
FROM   runs AS r
JOIN   night_verdicts AS v USING (snapshot_date)
WHERE  r.snapshot_date >= $4::DATE
GROUP BY r.snapshot_date
HAVING NOT (SELECT fits FROM known) OR bool_or(r.run_id > $1::VARCHAR OR list_contains($3::VARCHAR[], r.run_id))
ORDER BY r.snapshot_date;
