-- Gone dark: listed vessels that no status search has returned since their last sighting.
-- The search of that sighting was covered completely on every later night that ran it: a night that
-- was not covered is no proof.
SELECT v.vessel_id, v.name, v.flag, v.category, e.navigational_status, e.world_zone, e.last_date AS last_seen_there, count(*) AS complete_nights_since
FROM (
    SELECT * FROM episodes QUALIFY row_number() OVER (PARTITION BY vessel_id ORDER BY last_seen DESC) = 1
) AS e
JOIN   vessels AS v ON v.vessel_id = e.vessel_id AND v.listed
JOIN   coverage AS c ON c.operation = 'by-status' AND c.value = e.sweep AND c.snapshot_date > e.last_date AND c.state <> 'skipped'
GROUP BY ALL
HAVING bool_and(c.state = 'complete')
ORDER BY complete_nights_since DESC, v.vessel_id;
