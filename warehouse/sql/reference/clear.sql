-- clear: empty a reference table, which each build fills again.
DELETE FROM {{.Table}};
