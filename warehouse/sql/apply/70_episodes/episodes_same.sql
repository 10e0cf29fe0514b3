-- episodes_same: the stays that tonight's sightings continue: those whose last
-- sighting is not before the latest night that would have proved their end. The nights between were
-- not covered, and on none of them was the vessel seen in another status or zone.
-- reads: covered, episodes, runs, sighted
-- makes: episodes_same
-- needs: sighted
CREATE OR REPLACE TEMP TABLE episodes_same AS
WITH same AS MATERIALIZED (
    SELECT e.rid, s.vessel_id, s.sweep, s.navigational_status, s.world_zone, s.last_seen, e.last_date,
           (SELECT count(DISTINCT snapshot_date) FROM runs AS r WHERE r.snapshot_date > e.last_date AND r.snapshot_date < $date)::INTEGER AS unseen
    FROM   sighted AS s
    JOIN   covered AS c ON c.sweep = lower(s.sweep)
    JOIN   (SELECT rowid AS rid, vessel_id, sweep, last_date FROM episodes
            WHERE last_date < $date AND last_date >= (SELECT min(last_date) FROM covered)) AS e
           ON e.vessel_id = s.vessel_id AND e.sweep = s.sweep AND e.last_date >= c.last_date
-- elsewhere: those of vessels that were seen in another status or zone since
), elsewhere AS (
    SELECT DISTINCT m.rid
    FROM   (FROM same WHERE unseen > 0) AS m
    JOIN   (SELECT vessel_id, navigational_status, world_zone, last_date FROM episodes
            WHERE last_date < $date AND last_date > (SELECT min(last_date) FROM same WHERE unseen > 0)) AS o
           ON o.vessel_id = m.vessel_id AND o.last_date > m.last_date AND (o.navigational_status <> m.navigational_status OR o.world_zone IS DISTINCT FROM m.world_zone)
)
SELECT rid, vessel_id, sweep, last_seen, unseen FROM same ANTI JOIN elsewhere USING (rid) ORDER BY rid;
