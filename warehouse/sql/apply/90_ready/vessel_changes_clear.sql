-- vessel_changes_clear: the changes of those vessels are stored again.
DELETE FROM internal.vessel_changes WHERE vessel_key IN (SELECT {{template "vessel_key" "vessel_id"}} FROM changes_affected);
