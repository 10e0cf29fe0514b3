-- stays_continue: the vessel is still listed.
UPDATE listed SET last_date = $date FROM stays AS s WHERE listed.rowid = s.rid;
