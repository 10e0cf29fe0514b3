-- vessel_episodes: the stays of each vessel under the id that it has now.
CREATE OR REPLACE VIEW vessel_episodes AS
SELECT coalesce(a.vessel_id, e.vessel_id) AS vessel_id, e.navigational_status, e.world_zone, lower(e.sweep) AS sweep,
       e.first_seen, e.last_seen, e.first_date, e.last_date, e.nights, e.nights_unseen, e.run_id, e.entry,
       e.vessel_id AS vessel_id_then
FROM   episodes AS e
{{template "present_id"}};
COMMENT ON VIEW vessel_episodes IS 'The rows of episodes, each under the id that the vessel has now: those of a vessel that was known by its MMSI alone have its IMO number as soon as that was reported.';
COMMENT ON COLUMN vessel_episodes.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN vessel_episodes.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN vessel_episodes.world_zone IS 'See world_zones; null for the statuses that are searched for worldwide.';
COMMENT ON COLUMN vessel_episodes.sweep IS 'The search as status_searches names it.';
COMMENT ON COLUMN vessel_episodes.first_seen IS 'First sighting of the stay.';
COMMENT ON COLUMN vessel_episodes.last_seen IS 'Last sighting of the stay.';
COMMENT ON COLUMN vessel_episodes.first_date IS 'The first night of the stay.';
COMMENT ON COLUMN vessel_episodes.last_date IS 'The last night on which the vessel was seen there.';
COMMENT ON COLUMN vessel_episodes.nights IS 'Nights on which the vessel was seen there.';
COMMENT ON COLUMN vessel_episodes.nights_unseen IS 'Nights between the first and the last on which the vessel was not seen there and that do not prove it absent.';
COMMENT ON COLUMN vessel_episodes.run_id IS 'The run that opened the stay.';
COMMENT ON COLUMN vessel_episodes.entry IS 'That answer in the run''s journal.';
COMMENT ON COLUMN vessel_episodes.vessel_id_then IS 'The id in episodes: that of the MMSI for what was seen before the vessel showed its IMO number.';
