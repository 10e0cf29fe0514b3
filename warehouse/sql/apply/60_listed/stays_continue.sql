-- stays_continue: the vessel is still listed.
-- reads: stays
-- changes: listed
-- needs: stays
-- after: stays_of_links
UPDATE listed SET last_date = $date, missing_since = NULL FROM stays AS s WHERE listed.rowid = s.rid;
