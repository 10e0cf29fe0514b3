-- zone_daily: how many vessels each of tonight's status searches returned, and how many other things if
-- there were any. A search without a result has its row, too.
-- reads: night_verdict, partitions_tonight, registration, sighted
-- adds to: zone_daily
-- needs: partitions_tonight
INSERT INTO zone_daily BY NAME
-- others: what is registered and is no vessel: few of all
WITH others AS (
    SELECT vessel_id FROM registration AS r WHERE valid_to IS NULL AND NOT {{template "is_vessel" "r"}}
-- counts: tonight's sightings by search
), counts AS (
    SELECT lower(s.sweep) AS value, o.vessel_id IS NULL AS is_vessel, count(*)::INTEGER AS vessels
    FROM   sighted AS s
    LEFT JOIN others AS o ON o.vessel_id = s.vessel_id
    GROUP BY ALL
)
SELECT $date AS snapshot_date, a.navigational_status, a.world_zone, a.laden, a.for_order, a.vessel_type, a.is_vessel,
       coalesce(c.vessels, 0) AS vessels, a.state, a.run_id, (FROM night_verdict) AS verdict
FROM   (SELECT *, unnest([true, false]) AS is_vessel FROM partitions_tonight WHERE kind = 'status') AS a
LEFT JOIN counts AS c ON c.value = a.value AND c.is_vessel = a.is_vessel
WHERE  a.is_vessel OR c.vessels > 0
ORDER BY a.value, a.is_vessel DESC;
