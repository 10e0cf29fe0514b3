-- vessel_types_new: tonight's specific types that no list has.
-- reads: night_registration, vessel_types
-- adds to: vessel_types
-- needs: night_registration WHERE vessel_type NOT IN (SELECT name FROM vessel_types)
INSERT INTO vessel_types BY NAME
SELECT DISTINCT vessel_type AS spelling, vessel_type AS name, category, is_vessel, 'answers' AS source, $date AS since
FROM   night_registration
WHERE  vessel_type NOT IN (SELECT name FROM vessel_types)
ORDER BY spelling;
