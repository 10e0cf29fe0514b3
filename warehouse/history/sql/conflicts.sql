-- conflicts: contradictions between a vessel and others.
SELECT coalesce(dataset, ''), coalesce(field, ''), coalesce(raw_value, ''), coalesce(reason, ''), strftime(snapshot_date, '%Y-%m-%d'), coalesce(strftime(last_date, '%Y-%m-%d'), '')
FROM   identity_conflicts
WHERE  vessel_id IN ($1, $2)
ORDER BY snapshot_date, dataset, field, raw_value;
