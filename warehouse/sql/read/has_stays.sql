-- has_stays: whether tonight has sightings, or gives a vessel another id. Nothing else begins a stay in a status and
-- zone, continues one, or ends one.
SELECT (SELECT count(*) FROM sighted) > 0 OR (SELECT count(*) FROM vessel_aliases WHERE snapshot_date = $date) > 0;
