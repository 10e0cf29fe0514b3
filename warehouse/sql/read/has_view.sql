-- has_view: whether the file has a view. One that an older program published may lack it.
SELECT count(*) > 0 FROM duckdb_views() WHERE view_name = $1;
