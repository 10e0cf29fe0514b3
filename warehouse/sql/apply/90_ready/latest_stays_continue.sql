-- latest_stays_continue: the vessel is still in the same status and zone.
-- reads: stays_continued
-- changes: internal.latest_stays
-- needs: stays_continued
UPDATE internal.latest_stays SET last_seen = c.last_seen, last_date = $date FROM stays_continued AS c WHERE latest_stays.rowid = c.rid;
