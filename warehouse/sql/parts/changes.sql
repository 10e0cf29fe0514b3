-- confirmed: the changes that nothing makes doubtful, of a table of changes, under the id that each vessel
-- has now. While a vessel is known by its MMSI alone, the changes of that id are its own; once the IMO number
-- has a registration, those of that one are, and the MMSI's would repeat them.
{{define "confirmed" -}}
-- aliases: each id that a vessel had, until when it was the vessel's, and the night since which the vessel has a registration of its own
WITH aliases AS (
    SELECT a.alias_id, a.vessel_id, a.since, coalesce(lag(a.since) OVER (PARTITION BY a.alias_id ORDER BY a.since), '-infinity') AS since_before, r.registered_on
    FROM   vessel_aliases AS a
    JOIN   (SELECT vessel_id, min(snapshot_date) AS registered_on FROM registration WHERE vessel_id IN (SELECT vessel_id FROM vessel_aliases) GROUP BY vessel_id) AS r USING (vessel_id)
)
SELECT coalesce(a.vessel_id, c.vessel_id) AS vessel_id, c.dataset, c.field, c.old_value, c.new_value, c.seen_before, c.seen_after, c.snapshot_date,
       c.respelled, c.run_id, c.entry
FROM   {{.}} AS c
LEFT JOIN aliases AS a ON a.alias_id = c.vessel_id AND c.seen_after <= a.since AND c.seen_after > a.since_before
WHERE  c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
  AND  (a.registered_on IS NULL OR c.snapshot_date < a.registered_on)
{{- end}}

-- values_seen: until when the flag, the name and the companies of each version were observed, of a table of
-- registrations and one of managements.
{{define "values_seen" -}}
SELECT vessel_id, unnest([{field: 'flag', value: flag, until: coalesce((untold ->> 'flag')::TIMESTAMPTZ, last_seen)}, {field: 'name', value: name, until: coalesce((untold ->> 'name')::TIMESTAMPTZ, last_seen)}], recursive := true)
    FROM   {{.registration}}
    UNION ALL
    SELECT vessel_id, unnest([{field: 'manager', value: manager, until: coalesce((untold ->> 'manager')::TIMESTAMPTZ, last_seen)}, {field: 'registered_owner', value: registered_owner, until: coalesce((untold ->> 'registered_owner')::TIMESTAMPTZ, last_seen)}], recursive := true)
    FROM   {{.management}}
{{- end}}
