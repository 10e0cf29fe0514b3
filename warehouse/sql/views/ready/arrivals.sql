-- arrivals: the vessels that came to a zone, and what shows that they were not there before. A stay that
-- nothing shows to have begun is none, and neither is a new status in the same zone. On the first night
-- that covers a zone nobody arrives: those who are there may have come long before. The order of the
-- sightings of one night says nothing: a vessel that crosses a border during the night is found on both sides.
CREATE OR REPLACE VIEW arrivals AS
SELECT a.snapshot_date, a.world_zone, r.vessel_id, r.imo, r.name, r.flag, {{template "category" "r"}} AS category, a.navigational_status, a.from_zone, a.not_before,
       a.proof, a.proof = 'seen in another zone' AS proved, a.first_seen, a.run_id, a.entry
FROM   internal.arrivals AS a
JOIN   registration AS r ON {{template "registration_key" "r"}} = a.vessel_key AND r.valid_to IS NULL
WHERE  {{template "is_vessel" "r"}};
COMMENT ON VIEW arrivals IS 'One row per arrival of a vessel in a zone, as the status searches saw it; vessels only. It happened after the night not_before and by snapshot_date. A vessel that was there on the first night that covered the zone has no row: it may have come long before. Where not_before is not the night before, the arrival may be earlier than snapshot_date. Only if proved is true was it certainly elsewhere before. Otherwise it was not seen in the zone: it may have been there in a status that was not searched for, or have changed its status while the searches were made. Nobody sees a vessel whose transponder is silent: an arrival without from_zone may be one that was switched on. A night that is not whole finds fewer, and a later one the rest: a count by night joins night_verdicts.';
COMMENT ON COLUMN arrivals.snapshot_date IS 'The first night on which the vessel was seen in the zone.';
COMMENT ON COLUMN arrivals.world_zone IS 'The zone; see world_zones.';
COMMENT ON COLUMN arrivals.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN arrivals.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN arrivals.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN arrivals.flag IS 'The flag that the vessel has now. ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN arrivals.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN arrivals.navigational_status IS 'The status in which it was first seen there; see navigational_statuses.';
COMMENT ON COLUMN arrivals.from_zone IS 'The zone in which it was last seen before; null if it was seen in none since it was last here.';
COMMENT ON COLUMN arrivals.not_before IS 'The latest night for which the vessel was seen elsewhere, or not seen in the zone.';
COMMENT ON COLUMN arrivals.proof IS 'What shows that it arrived: seen in another zone; not seen in any status, when the searches for all statuses of the zone and all worldwide ones were complete; not seen in that status, when only the search that found it later was.';
COMMENT ON COLUMN arrivals.proved IS 'Whether it was certainly elsewhere before: false if it was only not seen in the zone.';
COMMENT ON COLUMN arrivals.first_seen IS 'The first sighting.';
COMMENT ON COLUMN arrivals.run_id IS 'The run that saw it first.';
COMMENT ON COLUMN arrivals.entry IS 'That answer in the run''s journal.';
