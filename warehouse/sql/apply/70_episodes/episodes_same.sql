-- episodes_same: the stays that tonight's sightings continue: those whose last
-- sighting is not before the latest night that would have proved their end. The nights between were
-- not covered.
CREATE OR REPLACE TEMP TABLE episodes_same AS
SELECT e.rid, s.vessel_id, s.sweep, s.last_seen, (SELECT count(DISTINCT snapshot_date) FROM runs AS r WHERE r.snapshot_date > e.last_date AND r.snapshot_date < $date)::INTEGER AS unseen
FROM   sighted AS s
JOIN   covered AS c ON c.sweep = lower(s.sweep)
JOIN   (SELECT rowid AS rid, vessel_id, sweep, last_date FROM episodes
        WHERE last_date < $date AND last_date >= (SELECT min(last_date) FROM covered)) AS e
       ON e.vessel_id = s.vessel_id AND e.sweep = s.sweep AND e.last_date >= c.last_date
ORDER BY e.rid;
