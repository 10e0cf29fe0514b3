-- stays_close: the vessel is gone, since the list of an earlier night missed her, and tonight's does, too. One
-- list that is read while vessels change their flags and types proves nothing: a vessel that moves from a country
-- that is not read yet to one that is read already is on no page. A lookup that finds the vessel does not
-- keep the stay open: it proves that the service knows her, not that she is on the list.
-- reads: stays_missing
-- changes: listed
-- needs: stays_missing
-- after: stays_unlisted
UPDATE listed AS h
SET    to_date = h.last_date, absent_on = $date, proof = 'missing twice'
FROM   stays_missing AS m
WHERE  h.rowid = m.rid AND m.missing_since < $date AND h.to_date IS NULL;
