-- latest_stays_clear: the stays of those vessels are stored again.
-- reads: stays_moved
-- changes: internal.latest_stays
-- needs: stays_moved
-- after: latest_stays_continue
DELETE FROM internal.latest_stays WHERE vessel_id IN (SELECT vessel_id FROM stays_moved);
