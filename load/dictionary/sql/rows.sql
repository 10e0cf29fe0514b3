-- rows: the number of rows of a view.
SELECT count(*), -1 FROM {{.Table}};
