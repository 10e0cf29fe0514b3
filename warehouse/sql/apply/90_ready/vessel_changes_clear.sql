-- vessel_changes_clear: the changes of those vessels are stored again.
-- reads: changes_affected
-- changes: internal.vessel_changes
-- needs: changes_affected
-- after: vessel_changes_seen
DELETE FROM internal.vessel_changes WHERE vessel_key IN (SELECT {{template "vessel_key" "vessel_id"}} FROM changes_affected);
