-- latest_stays_clear: the stays of those vessels are stored again.
DELETE FROM internal.latest_stays WHERE vessel_id IN (SELECT vessel_id FROM stays_moved);
