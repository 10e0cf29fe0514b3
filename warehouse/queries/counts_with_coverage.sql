-- The fleet by night with what each night proved: a count is as good as its coverage.
-- listed is the fleet that is known after the night, seen what that night's own answers listed. The others were not
-- observed, which is not gone. Searches that a cap or the time left out count as planned; the verdict says why.
SELECT snapshot_date AS night, v.verdict, sum(f.listed)::INTEGER AS listed, sum(f.seen)::INTEGER AS seen, round(100 * sum(f.seen) / sum(f.listed), 1) AS percent_seen,
       any_value(c.complete) AS partitions_complete, any_value(c.planned) AS partitions_planned,
       (sum(f.listed) - lag(sum(f.listed)) OVER (ORDER BY snapshot_date))::INTEGER AS growth, v.reason
FROM   fleet_daily AS f
JOIN   night_verdicts AS v USING (snapshot_date)
JOIN   (SELECT snapshot_date, sum(by_type_covered + by_status_covered)::INTEGER AS complete, sum(by_type_total + by_status_total)::INTEGER AS planned FROM nights GROUP BY snapshot_date) AS c USING (snapshot_date)
WHERE  f.is_vessel
GROUP BY snapshot_date, v.verdict, v.reason
ORDER BY night;
