-- rates: what answers show of how often a dataset changes while the registration stays as it is, by group
-- of vessels. An answer shows that the values are as in the answer before, or that they are others:
-- then they changed at some time between the two.
--
-- versions: each version with the days over which answers repeated it, and with the days between its last
-- answer and the one that had other values. A value that a single answer had, and after which the
-- earlier one returned, is no change.
WITH versions AS (
    SELECT d.vessel_id, d.first_seen, d.last_seen, d.valid_to, (epoch_us(d.last_seen) - epoch_us(d.first_seen)) / 86400e6 AS unchanged,
           CASE WHEN c.vessel_id IS NOT NULL THEN (epoch_us(d.valid_to) - epoch_us(d.last_seen)) / 86400e6 END AS within
    FROM   query_table($1) AS d
    LEFT JOIN (SELECT DISTINCT vessel_id, seen_after FROM changes WHERE dataset = $1 AND NOT flapping) AS c ON c.vessel_id = d.vessel_id AND c.seen_after = d.valid_to
-- signs: how many changes of the registration lie within the answers that repeated a version, and
-- whether one lies before the answer that ended it
), signs AS (
    SELECT d.vessel_id, d.first_seen, count(*) FILTER (r.valid_to <= d.last_seen) AS repeated, bool_or(r.valid_to > d.last_seen) AS ended
    FROM   versions AS d
    JOIN   registration AS r ON r.vessel_id = d.vessel_id AND r.valid_to > d.first_seen AND r.valid_to <= coalesce(d.valid_to, d.last_seen)
    WHERE  $1 <> 'registration'
    GROUP BY ALL
-- observed: the versions with their group. A change together with the registration counts as a sign that was followed
), observed AS (
    SELECT {{template "category" "r"}} AS category, coalesce(r.flag, '') AS flag, {{template "age_band" "p"}} AS age_band, d.unchanged,
           CASE WHEN NOT coalesce(s.ended, false) THEN d.within END AS within,
           coalesce(s.repeated, 0) AS repeated, coalesce(s.ended, false) AND d.within IS NOT NULL AS followed
    FROM   versions AS d
    JOIN   registration AS r ON r.vessel_id = d.vessel_id AND r.valid_to IS NULL
    LEFT JOIN particulars AS p ON p.vessel_id = d.vessel_id AND p.valid_to IS NULL
    LEFT JOIN signs AS s ON s.vessel_id = d.vessel_id AND s.first_seen = d.first_seen
)
-- intervals of about the same length are counted together, by the square root of two
SELECT category, flag, age_band, sum(unchanged), count(within), coalesce(avg(within), 0), (sum(repeated) + count(*) FILTER (followed))::BIGINT, count(*) FILTER (followed)
FROM   observed
GROUP BY category, flag, age_band, round(2 * log2(greatest(within, 0.01)))
ORDER BY category, flag, age_band, round(2 * log2(greatest(within, 0.01)));
