-- stays_under: update whether the vessel is listed with a country and with a type. Few rows change,
-- and only those are written.
-- reads: stays
-- changes: listed
-- needs: stays
-- after: stays_continue
UPDATE listed SET has_country = s.has_country, has_type = s.has_type FROM (FROM stays WHERE differs) AS s WHERE listed.rowid = s.rid;
