-- issues: the values of a vessel's records that were not accepted, by field and reason. An issue is
-- open if it occurred on the night on which its dataset was last seen: $seen has that time for
-- each dataset of $datasets.
WITH night AS (
    SELECT dataset, arg_max(snapshot_date, started_at) AS night
    FROM   (SELECT unnest($datasets::VARCHAR[]) AS dataset, unnest($seen::VARCHAR[])::TIMESTAMPTZ AS seen)
    JOIN   runs ON started_at <= seen
    GROUP BY dataset
)
SELECT i.dataset, coalesce(i.field, ''), i.reason, coalesce(arg_max(i.raw_value, {run: i.run_id, entry: i.entry}), ''),
       strftime(min(i.snapshot_date), '%Y-%m-%d'), strftime(max(i.snapshot_date), '%Y-%m-%d'), count(DISTINCT i.snapshot_date)::INTEGER,
       coalesce(max(i.snapshot_date) >= any_value(n.night), true), max(i.run_id), arg_max(i.entry, {run: i.run_id, entry: i.entry})
FROM   issues AS i
LEFT JOIN night AS n USING (dataset)
WHERE  i.vessel_number IN ($number, $mmsi) AND i.vessel_id IN ($id, $other)
GROUP BY i.dataset, i.field, i.reason
ORDER BY 8 DESC, 6 DESC, 1, 2, 3;
