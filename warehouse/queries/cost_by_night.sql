-- What each night proved and what it cost.
-- Partitions by state, vessels listed, credits, and credits for a thousand vessels listed.
SELECT r.snapshot_date, count(*) AS runs, sum(r.requests)::INTEGER AS requests, sum(r.credits_spent)::INTEGER AS credits,
       any_value(c.complete) AS complete, any_value(c.not_complete) AS not_complete, any_value(c.skipped) AS skipped,
       any_value(f.seen) AS vessels_listed, round(1000 * sum(r.credits_spent) / nullif(any_value(f.seen), 0), 1) AS credits_per_1000
FROM   runs AS r
LEFT JOIN (
    SELECT snapshot_date, count(*) FILTER (state = 'complete') AS complete, count(*) FILTER (state IN ('partial', 'failed', 'suspect')) AS not_complete,
           count(*) FILTER (state = 'skipped') AS skipped
    FROM (SELECT * FROM coverage QUALIFY row_number() OVER (PARTITION BY snapshot_date, operation, kind, value ORDER BY run_id DESC) = 1)
    GROUP BY snapshot_date
) AS c USING (snapshot_date)
LEFT JOIN (SELECT snapshot_date, sum(seen)::INTEGER AS seen FROM fleet_daily GROUP BY snapshot_date) AS f USING (snapshot_date)
GROUP BY r.snapshot_date
ORDER BY r.snapshot_date;
