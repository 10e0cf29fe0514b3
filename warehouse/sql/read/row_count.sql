-- row_count: how many rows a table has.
SELECT count(*) FROM query_table($1);
