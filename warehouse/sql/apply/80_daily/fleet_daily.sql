-- fleet_daily: the known fleet by flag, category and whether it is a vessel, after tonight.
-- reads: listed, night_verdict, registration, runs
-- adds to: fleet_daily
INSERT INTO fleet_daily BY NAME
SELECT $date AS snapshot_date, r.flag, r.category, r.is_vessel, count(*)::INTEGER AS listed, (count(*) FILTER (l.last_date = $date))::INTEGER AS seen,
       (SELECT max(run_id) FROM runs WHERE snapshot_date = $date) AS run_id, (FROM night_verdict) AS verdict
FROM   (SELECT vessel_id, last_date FROM listed WHERE to_date IS NULL) AS l
JOIN   (SELECT vessel_id, flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel FROM registration AS r WHERE valid_to IS NULL) AS r USING (vessel_id)
GROUP BY r.flag, r.category, r.is_vessel
ORDER BY r.flag, r.category, r.is_vessel;
