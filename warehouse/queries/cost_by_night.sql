-- What each night cost: runs, requests and credits, and credits for a thousand vessels listed.
SELECT snapshot_date AS night, any_value(v.verdict) AS verdict, count(*) AS runs, sum(requests)::INTEGER AS requests, sum(credits_spent)::INTEGER AS credits, sum(credits_unknown)::INTEGER AS of_unknown_outcome,
       any_value(f.seen) AS vessels_listed, round(1000 * sum(credits_spent) / nullif(any_value(f.seen), 0), 1) AS credits_per_1000
FROM   runs
LEFT JOIN (SELECT snapshot_date, sum(seen)::INTEGER AS seen FROM fleet_daily GROUP BY snapshot_date) AS f USING (snapshot_date)
LEFT JOIN night_verdicts AS v USING (snapshot_date)
GROUP BY snapshot_date
ORDER BY night;
