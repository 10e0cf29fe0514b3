-- turnover: what status searches show of how often vessels leave a status or a zone: the stays that
-- began in the last sixty nights. A stay has ended if a later night proved that the vessel is not there any
-- more; it ended within the time that lies between two nights with the search.
WITH searches AS (
    SELECT lower(value) AS sweep, (max(snapshot_date) - min(snapshot_date)) / (count(DISTINCT snapshot_date) - 1) AS apart
    FROM   coverage
    WHERE  kind = 'status' AND state = 'complete' AND snapshot_date > (SELECT max(snapshot_date) FROM runs) - 60
    GROUP BY lower(value)
    HAVING count(DISTINCT snapshot_date) > 1
)
SELECT split_part(split_part(s.sweep, '?', 1), '/', 1) AS status, split_part(split_part(s.sweep, '?', 1), '/', 2) AS zone,
       sum((epoch_us(e.last_seen) - epoch_us(e.first_seen)) / 86400e6), count(*) FILTER (e.last_date < p.proven_on), avg(s.apart)
FROM   episodes AS e
JOIN   searches AS s ON s.sweep = lower(e.sweep)
JOIN   partitions AS p ON p.kind = 'status' AND p.value = s.sweep
WHERE  e.first_date > (SELECT max(snapshot_date) FROM runs) - 60
GROUP BY status, zone
ORDER BY status, zone;
