-- stays_continued: the stays that tonight's sightings continue, with the row of internal.latest_stays, which
-- is null if that no longer has the stay.
-- reads: internal.latest_stays, stays_tonight
-- makes: stays_continued
-- needs: sighted or vessel_aliases WHERE snapshot_date = $date
CREATE OR REPLACE TEMP TABLE stays_continued AS
SELECT r.rid, r.vessel_id AS vessel_before, r.last_date AS last_date_before, t.vessel_id, t.known_as, t.last_seen
FROM   stays_tonight AS t
LEFT JOIN (SELECT rowid AS rid, * FROM internal.latest_stays WHERE NOT over) AS r ON r.known_as = t.known_as AND r.search = t.search
WHERE  NOT t.opened
ORDER BY r.rid;
