-- departures: the vessels that left a zone, and what shows that they did: they were seen in another one
-- later, or a later night was covered and did not find them. A vessel of which no later night proves
-- anything was not seen, and has not left; neither has one that is in another status of the zone. The
-- rules are those of arrivals, read from the end. Those that a later night can still change are computed
-- from the latest stays of their vessels.
CREATE OR REPLACE VIEW departures AS
SELECT d.snapshot_date, d.world_zone, r.vessel_id, r.imo, r.name, r.flag, {{template "category" "r"}} AS category, d.navigational_status, d.to_zone, d.not_before,
       d.proof, d.proof <> 'absent in that status' AS proved, d.last_seen
FROM (
    SELECT snapshot_date, world_zone, vessel_key, navigational_status, to_zone, not_before, proof, last_seen FROM internal.departures
    UNION ALL
    SELECT left_on, world_zone, {{template "vessel_key" "vessel_id"}}, navigational_status, to_zone, last_date, proof, last_seen
    FROM   ({{template "departed" "(FROM internal.latest_stays WHERE vessel_id IN (SELECT vessel_id FROM internal.latest_stays WHERE last_date < (SELECT max(snapshot_date) FROM runs)))"}})
    WHERE  left_on IS NOT NULL
) AS d
JOIN   registration AS r ON {{template "registration_key" "r"}} = d.vessel_key AND r.valid_to IS NULL
WHERE  {{template "is_vessel" "r"}};
COMMENT ON VIEW departures IS 'One row per departure of a vessel from a zone, as the status searches saw it; vessels only. It happened after the night not_before and by snapshot_date. A vessel that was not seen since has no row unless a later night covered its search. Only if proved is true was it certainly no longer shown in the zone: otherwise it may be there in a status that was not searched for. A vessel whose transponder is silent is shown nowhere, too: see gone_dark.';
COMMENT ON COLUMN departures.snapshot_date IS 'The first night that shows the vessel to be elsewhere or absent.';
COMMENT ON COLUMN departures.world_zone IS 'The zone; see world_zones.';
COMMENT ON COLUMN departures.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN departures.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN departures.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN departures.flag IS 'The flag that the vessel has now. ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN departures.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN departures.navigational_status IS 'The status in which it was last seen there; see navigational_statuses.';
COMMENT ON COLUMN departures.to_zone IS 'The zone in which it was seen next; null if it was seen in none.';
COMMENT ON COLUMN departures.not_before IS 'The last night on which the vessel was seen in the zone.';
COMMENT ON COLUMN departures.proof IS 'What shows that it left: seen in another zone; absent in every status, when the searches for all statuses of the zone and all worldwide ones were complete; absent in that status, when only the search that found it before was.';
COMMENT ON COLUMN departures.proved IS 'Whether it was certainly no longer shown in the zone: false if it was only absent in that status.';
COMMENT ON COLUMN departures.last_seen IS 'The last sighting there.';
