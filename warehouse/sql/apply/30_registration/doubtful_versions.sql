-- doubtful_versions: the open versions say which of their columns no night has decided.
-- reads: internal.doubtful_values
-- changes: registration
-- needs: internal.doubtful_values
-- after: doubtful_new
UPDATE registration AS r
SET    doubtful = d.fields
FROM   (SELECT vessel_id, string_agg(field, ', ' ORDER BY field) FILTER (settled_on IS NULL) AS fields FROM internal.doubtful_values GROUP BY vessel_id) AS d
WHERE  r.vessel_id = d.vessel_id AND r.valid_to IS NULL AND r.doubtful IS DISTINCT FROM d.fields;
