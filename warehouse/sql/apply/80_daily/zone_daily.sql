-- zone_daily: how many vessels each of tonight's status searches returned. A search without
-- a result has its row, too.
INSERT INTO zone_daily BY NAME
-- returned: the vessels of each search
WITH returned AS (
    SELECT lower(sweep) AS value, count(*)::INTEGER AS vessels FROM sighted GROUP BY 1
-- searches: tonight's searches, with status and zone separated from the filters
), searches AS (
    SELECT value, state, run_id, split_part(value, '?', 1) AS place, '&' || split_part(value, '?', 2) AS filters
    FROM   partitions_tonight
    WHERE  kind = 'status'
)
SELECT $date AS snapshot_date, split_part(a.place, '/', 1) AS navigational_status, nullif(split_part(a.place, '/', 2), '') AS world_zone,
       nullif(regexp_extract(a.filters, '&laden=([^&]*)', 1), '') AS laden,
       nullif(regexp_extract(a.filters, '&for_order=([^&]*)', 1), '')::BOOLEAN AS for_order,
       replace(nullif(regexp_extract(a.filters, '&vessel_type=([^&]*)', 1), ''), '+', ' ') AS vessel_type,
       coalesce(s.vessels, 0) AS vessels, a.state, a.run_id
FROM   searches AS a
LEFT JOIN returned AS s USING (value)
ORDER BY a.value;
