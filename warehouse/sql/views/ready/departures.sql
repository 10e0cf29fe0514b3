-- departures: the vessels that left a zone, as they were seen in another one later, and those that were not
-- seen there by a later night that was covered. One reading of searches between which vessels move is all
-- there is, and is no proof. A vessel of which no later night says anything has no row; neither has one that is in another status of the zone. The
-- rules are those of arrivals, read from the end. Those that a later night can still change are computed
-- from the latest stays of their vessels.
CREATE OR REPLACE VIEW departures AS
SELECT d.snapshot_date, d.world_zone, r.vessel_id, r.imo, r.name, r.flag, {{template "category" "r"}} AS category, d.navigational_status, d.to_zone, d.not_before,
       d.proof, d.proof = 'seen in another zone' AS proved, d.last_seen
FROM (
    SELECT snapshot_date, world_zone, vessel_key, navigational_status, to_zone, not_before, proof, last_seen FROM internal.departures
    UNION ALL
    SELECT left_on, world_zone, {{template "vessel_key" "vessel_id"}}, navigational_status, to_zone, last_date, proof, last_seen
    FROM   ({{template "departed" "(FROM internal.latest_stays WHERE vessel_id IN (SELECT vessel_id FROM internal.latest_stays WHERE last_date < (SELECT max(snapshot_date) FROM runs)))"}})
    WHERE  left_on IS NOT NULL
) AS d
JOIN   registration AS r ON {{template "registration_key" "r"}} = d.vessel_key AND r.valid_to IS NULL
WHERE  {{template "is_vessel" "r"}};
COMMENT ON VIEW departures IS 'One row per stay of a vessel in a zone that ended, as the status searches saw it; vessels only. Only if proved is true did it leave the zone, after the night not_before and by snapshot_date. Otherwise it was not seen there on snapshot_date, by a night that covered its search: it may be there in a status that was not searched for, or have changed its status while the searches were made. A vessel whose transponder is silent is shown nowhere, too: see gone_dark. A night that is not whole finds fewer, and a later one the rest: a count by night joins night_verdicts.';
COMMENT ON COLUMN departures.snapshot_date IS 'The first night that saw the vessel elsewhere, or did not see it in the zone.';
COMMENT ON COLUMN departures.world_zone IS 'The zone; see world_zones.';
COMMENT ON COLUMN departures.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN departures.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN departures.name IS 'The name that the vessel has now.';
COMMENT ON COLUMN departures.flag IS 'The flag that the vessel has now. ISO 3166 alpha-2; null if unknown.';
COMMENT ON COLUMN departures.category IS 'See types; unknown if it is not known.';
COMMENT ON COLUMN departures.navigational_status IS 'The status in which it was last seen there; see navigational_statuses.';
COMMENT ON COLUMN departures.to_zone IS 'The zone in which it was seen next; null if it was seen in none.';
COMMENT ON COLUMN departures.not_before IS 'The last night on which the vessel was seen in the zone.';
COMMENT ON COLUMN departures.proof IS 'What shows that it is no longer there: seen in another zone; not seen in any status, when the searches for all statuses of the zone and all worldwide ones were complete; not seen in that status, when only the search that found it before was.';
COMMENT ON COLUMN departures.proved IS 'Whether it left the zone: false if it was only not seen there.';
COMMENT ON COLUMN departures.last_seen IS 'The last sighting there.';
