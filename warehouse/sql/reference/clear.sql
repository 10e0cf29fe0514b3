-- clear: empty a reference table, which is filled again.
DELETE FROM {{.Table}};
