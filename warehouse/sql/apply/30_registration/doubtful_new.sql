-- doubtful_new: the values that are kept of several, and that were not known before.
-- reads: contested, registration
-- adds to: internal.doubtful_values
-- needs: contested
-- after: doubtful_forget, versions_new
INSERT INTO internal.doubtful_values (vessel_id, field, value, seen_after)
SELECT c.vessel_id, c.field, c.value, r.valid_from
FROM   contested AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL
WHERE  c.kept AND c.value IS DISTINCT FROM c.known
ORDER BY c.vessel_id, c.field;
