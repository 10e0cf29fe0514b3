-- The fleet as of an instant, by flag, beside the fleet of today.
-- vessels_as_of has what was known then, with the columns of vessels; a night stands for its end.
-- param moment (moment): an instant, such as 2026-11-20T12:00:00Z, or a night; the first night if not given
SELECT flag, sum(listed_then)::INTEGER AS listed_then, sum(listed_now)::INTEGER AS listed_now, sum(listed_now - listed_then)::INTEGER AS difference
FROM (
    SELECT flag, 1 AS listed_then, 0 AS listed_now
    FROM   vessels_as_of(coalesce(getvariable('moment'), (SELECT min(snapshot_date)::VARCHAR FROM runs))) WHERE listed AND is_vessel
    UNION ALL SELECT flag, 0, 1 FROM vessels WHERE listed AND is_vessel
)
GROUP BY flag
ORDER BY listed_then DESC, flag;
