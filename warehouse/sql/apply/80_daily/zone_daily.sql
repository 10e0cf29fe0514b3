-- zone_daily: how many vessels each of tonight's status searches returned. A search without
-- a result has its row, too.
INSERT INTO zone_daily BY NAME
SELECT $date AS snapshot_date, a.navigational_status, a.world_zone, a.laden, a.for_order, a.vessel_type,
       coalesce(s.vessels, 0) AS vessels, a.state, a.run_id
FROM   (FROM partitions_tonight WHERE kind = 'status') AS a
LEFT JOIN (SELECT lower(sweep) AS value, count(*)::INTEGER AS vessels FROM sighted GROUP BY 1) AS s USING (value)
ORDER BY a.value;
