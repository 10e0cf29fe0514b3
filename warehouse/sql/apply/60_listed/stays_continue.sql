-- stays_continue: the vessel is still listed.
UPDATE listed SET last_date = $date, missing_since = NULL FROM stays AS s WHERE listed.rowid = s.rid;
