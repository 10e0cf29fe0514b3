-- links_doubtful: two vessels that may be one, for a person to look at.
-- reads: identity_conflicts, links
-- adds to: identity_conflicts
-- needs: links
-- after: slips_open
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT p.id, 'registration', 'vessel_id', p.mmsi, 'may be one vessel under two flags: the same ' || p.same, $date, $date, p.run_id, p.entry
FROM   (SELECT mmsi, same, run_id, entry, unnest([vessel_id, shown_id]) AS id FROM links WHERE NOT proved) AS p
WHERE  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = p.id AND c.field = 'vessel_id' AND c.raw_value = p.mmsi)
ORDER BY p.mmsi, p.id;
