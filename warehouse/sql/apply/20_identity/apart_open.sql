-- apart_open: two ships that show one MMSI, at a time or one after the other, for a person to look at.
-- reads: identity_conflicts, kept_apart, lake_identities, links, mmsi_doubted
-- adds to: identity_conflicts
-- needs: kept_apart
-- after: apart_continue
INSERT INTO identity_conflicts (vessel_id, dataset, field, raw_value, reason, snapshot_date, last_date, run_id, entry)
SELECT p.vessel_id, 'registration', 'mmsi', p.mmsi, if(bool_and(p.departed), 'another ship shows the mmsi of one that is gone', 'two ships show this mmsi'), $date, $date,
       any_value(e.run_id), any_value(e.entry)
FROM   (
    SELECT a.mmsi, unnest([coalesce(k.vessel_id, a.vessel_id), a.other_id]) AS vessel_id, a.departed
    FROM   kept_apart AS a
    LEFT JOIN links AS k ON k.proved AND k.shown_id = a.vessel_id
) AS p
LEFT JOIN (SELECT mmsi, first(run_id ORDER BY seen_at, run_id, entry) AS run_id, first(entry ORDER BY seen_at, run_id, entry) AS entry FROM lake_identities WHERE mmsi IN (FROM mmsi_doubted) GROUP BY mmsi) AS e ON e.mmsi = p.mmsi
WHERE  NOT EXISTS (FROM identity_conflicts AS c WHERE c.vessel_id = p.vessel_id AND c.field = 'mmsi' AND c.raw_value = p.mmsi)
GROUP BY p.mmsi, p.vessel_id
ORDER BY p.mmsi, p.vessel_id;
