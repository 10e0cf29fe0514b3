-- clear: a reference table is filled anew by each build.
DELETE FROM {{.Table}};
