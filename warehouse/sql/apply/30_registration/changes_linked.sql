-- changes_linked: the change of the IMO number of vessels that a position or a sighting linked to it:
-- no answer of tonight has their registration, and still it has the number from tonight on.
-- reads: linked_registration, registration, vessel_aliases
-- adds to: changes
-- needs: linked_registration
-- after: versions_carry, changes_settled
INSERT INTO changes BY NAME
SELECT r.vessel_id, 'registration' AS dataset, 'imo' AS field, NULL AS old_value, r.imo::VARCHAR AS new_value, r.last_seen AS seen_before, r.valid_from AS seen_after, $date AS snapshot_date, false AS flapping, false AS respelled, a.run_id
FROM   registration AS r
JOIN   linked_registration AS l ON l.vessel_id = r.vessel_id
JOIN   vessel_aliases AS a ON a.alias_id = l.alias_id AND a.until IS NULL
WHERE  r.valid_to IS NULL AND r.last_seen < r.valid_from
ORDER BY r.vessel_id;
