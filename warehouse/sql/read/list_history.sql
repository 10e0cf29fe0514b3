-- list_history: since when the list has been complete, the latest night, and what the list has shown
-- between them, of ninety nights at most: new vessels, vessels that left it in the first half and are not
-- back, and changes of a registration that it reported. The list counts as complete since the night by which the
-- partitions with 99 of 100 vessels had been covered, of the kind that covers most.
WITH firsts AS (
    SELECT kind, min(snapshot_date) AS night, arg_min(received_rows, snapshot_date) AS rows
    FROM   coverage
    WHERE  state = 'complete' AND kind <> 'status'
    GROUP BY kind, lower(value)
),
covered AS (
    SELECT kind, night, sum(sum(rows)) OVER (PARTITION BY kind ORDER BY night) AS rows, sum(sum(rows)) OVER (PARTITION BY kind) AS of
    FROM   firsts
    GROUP BY kind, night
),
since AS (
    SELECT max(latest.night) AS latest, greatest(arg_max(c.night, {rows: c.of, earlier: -datediff('day', DATE '2000-01-01', c.night)}), max(latest.night) - 90) AS night
    FROM   covered AS c
    CROSS JOIN (SELECT max(snapshot_date) AS night FROM runs) AS latest
    WHERE  c.rows >= 0.99 * c.of AND c.of > 0
),
stays AS (
    SELECT vessel_id, min(from_date) AS from_date, max(absent_on) AS absent_on, bool_and(to_date IS NOT NULL) AS gone
    FROM   listed
    GROUP BY vessel_id
)
SELECT s.night, s.latest,
       (SELECT count(*) FROM stays AS a WHERE a.from_date > s.night)::BIGINT,
       (SELECT count(*) FROM stays AS g WHERE g.gone AND g.absent_on > s.night AND g.absent_on - s.night <= s.latest - g.absent_on)::BIGINT,
       (SELECT count(*) FROM registration AS r WHERE r.snapshot_date > s.night AND r.source = 'listings' AND r.valid_from > r.known_since)::BIGINT
FROM   since AS s
WHERE  s.night IS NOT NULL;
