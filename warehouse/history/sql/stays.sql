-- stays: a vessel's stays on the list, oldest first.
SELECT strftime(from_date, '%Y-%m-%d'), coalesce(strftime(to_date, '%Y-%m-%d'), ''), strftime(last_date, '%Y-%m-%d'), coalesce(strftime(missing_since, '%Y-%m-%d'), ''),
       coalesce(strftime(absent_on, '%Y-%m-%d'), ''), coalesce(proof, ''), coalesce(run_id, '')
FROM   listed
WHERE  vessel_id = $1
ORDER BY from_date;
