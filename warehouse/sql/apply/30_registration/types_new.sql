-- types_new: the same of the table that has each type once.
-- reads: types, vessel_types
-- adds to: types
-- needs: night_registration
-- after: vessel_types_new
INSERT INTO types BY NAME
SELECT name AS vessel_type, category, is_vessel, source, since
FROM   vessel_types
WHERE  source = 'answers' AND name NOT IN (SELECT vessel_type FROM types)
ORDER BY name;
