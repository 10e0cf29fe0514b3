-- stays_missed: tonight is the first night whose list misses the vessel. The stay remains open until another
-- list, or a lookup, decides.
UPDATE listed AS h
SET    missing_since = $date
FROM   stays_missing AS m
WHERE  h.rowid = m.rid AND m.missing_since IS NULL AND h.to_date IS NULL;
