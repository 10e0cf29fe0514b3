-- between: the news of vessels on the nights from $1 to $2: what an answer first showed, or coverage first
-- proved, on that night. $3 lists vessels by vessel_id, IMO number or MMSI; an empty list is all. What a
-- single answer said and a later one took back is no news, and neither is what the first search for vessels
-- aground found.
WITH wanted AS (
    SELECT v.vessel_id, v.name FROM vessels AS v
    WHERE  v.is_vessel AND (len($3::VARCHAR[]) = 0 OR list_contains($3::VARCHAR[], v.vessel_id) OR list_contains($3::VARCHAR[], v.imo::VARCHAR) OR list_contains($3::VARCHAR[], v.mmsi))
), world_nights AS ( -- the nights that searched for every status in every zone, each with how many came later: the second one without a vessel proves that it is gone dark, and the news is that night's for ever
    SELECT snapshot_date, row_number() OVER (ORDER BY snapshot_date DESC) - 1 AS later
    FROM   (SELECT snapshot_date FROM status_searches WHERE state = 'complete' AND filters IS NULL GROUP BY snapshot_date
            HAVING count(*) = (SELECT sum(CASE WHEN zoned THEN (SELECT count(*) FROM world_zones) ELSE 1 END) FROM navigational_statuses))
), seen AS (
    SELECT snapshot_date AS night, 'reflagged' AS kind, vessel_id, flag_before AS was, flag_after AS now, seen_before AS not_before, seen_after AS not_after, run_id, entry FROM reflaggings
    UNION ALL
    SELECT snapshot_date, 'renamed', vessel_id, name_before, name_after, seen_before, seen_after, run_id, entry FROM renamings
    UNION ALL
    SELECT snapshot_date, if(role = 'manager', 'new manager', 'new owner'), vessel_id, company_before, company_after, seen_before, seen_after, run_id, entry FROM ownership_changes
    UNION ALL
    SELECT snapshot_date, 'new mmsi', vessel_id, old_value, new_value, seen_before, seen_after, run_id, entry FROM confirmed_changes WHERE dataset = 'registration' AND field = 'mmsi'
    UNION ALL
    SELECT absent_on, 'left the list', vessel_id, strftime(last_date, '%Y-%m-%d'), NULL, NULL, NULL, NULL, NULL FROM listed WHERE absent_on IS NOT NULL
    UNION ALL
    SELECT first_date, 'aground', vessel_id, NULL, coalesce(world_zone, ''), NULL, first_seen, run_id, entry
    FROM   episodes
    JOIN   (SELECT value, min(snapshot_date) AS first_search FROM coverage WHERE kind = 'status' AND state = 'complete' GROUP BY value) AS c ON c.value = sweep AND first_date > c.first_search
    WHERE  navigational_status = 'aground'
    UNION ALL
    SELECT n.snapshot_date, 'gone dark', vessel_id, concat_ws(' ', navigational_status, world_zone), strftime(last_date, '%Y-%m-%d'), last_seen, NULL, NULL, NULL
    FROM   gone_dark
    JOIN   world_nights AS n ON n.later = world_nights_since - 2
    WHERE  proved
    UNION ALL
    SELECT since, 'identity in doubt', vessel_id, value, detail, NULL, NULL, run_id, entry FROM identity_review WHERE kind IN ('identity conflict', 'shared mmsi') AND vessel_id IS NOT NULL
)
SELECT strftime(s.night, '%Y-%m-%d'), s.kind, s.vessel_id, coalesce(w.name, ''), coalesce(s.was, ''), coalesce(s.now, ''), s.not_before, s.not_after, coalesce(s.run_id, ''), coalesce(s.entry, -1)
FROM   seen AS s
JOIN   wanted AS w USING (vessel_id)
WHERE  s.night BETWEEN $1::DATE AND $2::DATE
ORDER BY s.night, s.kind, w.name, s.vessel_id, s.was, s.now;
