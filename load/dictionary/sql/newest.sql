-- newest: the number of rows of a table, and the place of the newest one; -1 without rows.
SELECT count(*), coalesce(max(rowid), -1) FROM {{.Table}};
