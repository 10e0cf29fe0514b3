-- vessel_changes_seen: tonight observes the new value of a change again. The changes that no later observation
-- had confirmed before are few, and only the registration and the management that are open can confirm them.
-- reads: internal.vessel_changes, management, registration
-- changes: internal.vessel_changes
-- needs: lake_numbers
-- needs: internal.vessel_changes WHERE NOT seen_again
UPDATE internal.vessel_changes
SET    seen_again = true
FROM (
    WITH unconfirmed AS (
        SELECT rowid AS rid, vessel_key, field, new_value, seen_after FROM internal.vessel_changes WHERE NOT seen_again
    ), numbers AS (
        SELECT (abs(vessel_key) % 1000000000)::INTEGER AS vessel_number FROM unconfirmed
    ), seen AS (
    {{template "values_seen" dict "registration" "registration WHERE valid_to IS NULL AND vessel_number IN (FROM numbers)" "management" "management WHERE valid_to IS NULL AND vessel_number IN (FROM numbers)"}}
    )
    SELECT DISTINCT c.rid
    FROM   unconfirmed AS c
    JOIN   seen AS k ON {{template "vessel_key" "k.vessel_id"}} = c.vessel_key AND k.field = c.field AND k.value = c.new_value AND k.until > c.seen_after
) AS s
WHERE  vessel_changes.rowid = s.rid;
