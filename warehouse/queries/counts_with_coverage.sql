-- The fleet by night with what each night proved: a count is as good as its coverage.
-- listed is the fleet that is known after the night, seen what that night's own answers listed. The others were not
-- observed, which is not gone. Partitions that the plan left out do not count.
SELECT snapshot_date AS night, sum(f.listed)::INTEGER AS listed, sum(f.seen)::INTEGER AS seen, round(100 * sum(f.seen) / sum(f.listed), 1) AS percent_seen,
       any_value(c.complete) AS partitions_complete, any_value(c.planned) AS partitions_planned,
       (sum(f.listed) - lag(sum(f.listed)) OVER (ORDER BY snapshot_date))::INTEGER AS growth
FROM   fleet_daily AS f
JOIN   (SELECT snapshot_date, count(DISTINCT (operation, kind, value)) FILTER (state = 'complete') AS complete,
               count(DISTINCT (operation, kind, value)) FILTER (state <> 'skipped') AS planned FROM coverage GROUP BY snapshot_date) AS c USING (snapshot_date)
WHERE  f.is_vessel
GROUP BY snapshot_date
ORDER BY night;
