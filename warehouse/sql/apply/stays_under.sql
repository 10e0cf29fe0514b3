-- stays_under: the vessel stands under another part of the list than it did. Few do.
UPDATE listed SET has_country = s.has_country, has_type = s.has_type FROM (FROM stays WHERE differs) AS s WHERE listed.rowid = s.rid;
