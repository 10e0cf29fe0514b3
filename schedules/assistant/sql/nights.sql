-- nights.sql: the newest $3 nights from $1 to $2, where NULL is no bound, one row per job and night.
SELECT strftime(snapshot_date, '%Y-%m-%d'), job, verdict, reason, by_type_covered, by_type_total, by_status_covered, by_status_total,
       coalesce(left_out, ''), runs, requests, credits, coalesce(strftime(previous_whole_night, '%Y-%m-%d'), '')
FROM   nights
WHERE  ($1::VARCHAR IS NULL OR snapshot_date >= $1::DATE)
  AND  ($2::VARCHAR IS NULL OR snapshot_date <= $2::DATE)
ORDER BY snapshot_date DESC, job
LIMIT  $3;
