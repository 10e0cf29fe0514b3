-- stays_tonight: tonight's sightings, each under the id that the vessel has now, and whether a stay began
-- with it.
-- reads: episodes, sighted, vessel_aliases
-- makes: stays_tonight
-- needs: sighted or vessel_aliases WHERE snapshot_date = $date
CREATE OR REPLACE TEMP TABLE stays_tonight AS
SELECT coalesce(a.vessel_id, e.vessel_id) AS vessel_id, e.vessel_id AS known_as, e.sweep AS search, e.navigational_status, e.world_zone,
       e.first_seen, e.last_seen, e.run_id, e.entry, o.vessel_id IS NOT NULL AS opened
FROM   sighted AS e
LEFT JOIN (SELECT vessel_id, sweep FROM episodes WHERE first_date = $date) AS o ON o.vessel_id = e.vessel_id AND o.sweep = e.sweep
{{template "present_id"}};
