-- stays_missed: tonight is the first night whose list misses the vessel. The stay remains open until another
-- list, or a lookup, decides.
-- reads: stays_missing
-- changes: listed
-- needs: stays_missing
-- after: stays_close
UPDATE listed AS h
SET    missing_since = $date
FROM   stays_missing AS m
WHERE  h.rowid = m.rid AND m.missing_since IS NULL AND h.to_date IS NULL;
