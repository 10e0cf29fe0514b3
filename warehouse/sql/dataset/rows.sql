-- rows: the vessels of which tonight has several observations. Few do, and only theirs are
-- sorted out.
CREATE OR REPLACE TEMP TABLE rows_{{.Name}} AS
SELECT vessel_id FROM night_{{.Name}} GROUP BY vessel_id HAVING count(*) > 1;
