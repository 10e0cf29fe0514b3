-- Vessels aground: every stay in that status, and for how many nights.
-- On nights_unseen of the nights between, the search was not covered. The status is searched for worldwide, so
-- that there is no zone.
SELECT e.vessel_id, v.name, v.flag, v.category, e.first_date, e.last_date, e.nights, e.nights_unseen,
       e.last_date = (SELECT max(snapshot_date) FROM runs) AS still
FROM   vessel_episodes AS e
JOIN   vessels AS v USING (vessel_id)
WHERE  e.navigational_status = 'aground' AND v.is_vessel
ORDER BY still DESC, e.nights DESC, e.vessel_id, e.first_date;
