-- New buildings: vessels of this year or the last that came onto the list after the first night.
-- Only vessels with an IMO number are counted: one without gets another MMSI with another flag, and then looks
-- new. Vessels that were not looked up yet have no year of build, and are not among them.
SELECT vessel_id, name, flag, vessel_type, (first_seen AT TIME ZONE 'UTC')::DATE AS first_seen_on, year_built, deadweight_t, registered_owner
FROM   vessels
WHERE  is_vessel AND imo IS NOT NULL AND year_built >= (SELECT year(max(snapshot_date)) - 1 FROM runs)
  AND  first_seen > (SELECT max(finished_at) FROM runs WHERE snapshot_date = (SELECT min(snapshot_date) FROM runs))
ORDER BY first_seen DESC, vessel_id;
