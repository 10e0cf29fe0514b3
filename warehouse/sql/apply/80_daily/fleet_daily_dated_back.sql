-- fleet_daily_dated_back: the vessels whose departure tonight proves count no longer on the nights since the
-- first that missed them, each under the flag and category that it had then; one that was two vessels counts once.
-- reads: links, listed, registration, runs
-- changes: fleet_daily
-- needs: listed WHERE absent_on = $date AND missing_since < $date or links WHERE proved AND from_date < $date
-- after: fleet_daily
UPDATE fleet_daily AS f
SET    listed = f.listed - g.vessels
FROM (
    WITH gone AS (
        SELECT vessel_id, internal.number_of(vessel_id) AS vessel_number, missing_since, $date::DATE AS until FROM listed WHERE absent_on = $date AND missing_since < $date
        UNION ALL
        SELECT vessel_id, internal.number_of(vessel_id), from_date, CASE WHEN absent_on IS NULL THEN $date ELSE missing_since END FROM links WHERE proved AND from_date < $date
    ), nights AS (
        SELECT d.snapshot_date, max(r.finished_at) AS finished_at
        FROM   (SELECT DISTINCT snapshot_date FROM runs WHERE snapshot_date >= (SELECT min(missing_since) FROM gone) AND snapshot_date < $date) AS d
        JOIN   (SELECT snapshot_date, coalesce(finished_at, started_at) AS finished_at FROM runs) AS r ON r.snapshot_date <= d.snapshot_date
        GROUP BY d.snapshot_date
    )
    SELECT n.snapshot_date, r.flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel, count(*)::INTEGER AS vessels
    FROM   gone AS h
    JOIN   nights AS n ON n.snapshot_date >= h.missing_since AND n.snapshot_date < h.until
    JOIN   (FROM registration WHERE vessel_number IN (SELECT vessel_number FROM gone)) AS r
           ON r.vessel_id = h.vessel_id AND r.valid_from <= n.finished_at AND coalesce(r.valid_to, 'infinity') > n.finished_at
    GROUP BY ALL
) AS g
WHERE  f.snapshot_date = g.snapshot_date AND f.flag IS NOT DISTINCT FROM g.flag AND f.category = g.category AND f.is_vessel = g.is_vessel;
