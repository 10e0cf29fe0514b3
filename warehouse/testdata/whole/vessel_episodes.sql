-- vessel_episodes: the stays of each vessel under the id that it has now. What was seen of an MMSI
-- before its IMO number was reported belongs to the vessel with that IMO number; what was seen of the
-- same MMSI after that number had gone to another vessel does not.
CREATE OR REPLACE VIEW vessel_episodes AS
SELECT coalesce(a.vessel_id, e.vessel_id) AS vessel_id, e.navigational_status, e.world_zone, lower(e.sweep) AS sweep,
       e.first_seen, e.last_seen, e.first_date, e.last_date, e.nights, e.nights_unseen, e.run_id, e.entry
FROM   episodes AS e
LEFT JOIN (SELECT alias_id, vessel_id, since, lag(since) OVER (PARTITION BY alias_id ORDER BY since) AS since_before FROM vessel_aliases) AS a
       ON a.alias_id = e.vessel_id AND e.last_seen <= a.since AND (a.since_before IS NULL OR e.last_seen > a.since_before);
