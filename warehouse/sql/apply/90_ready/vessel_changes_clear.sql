-- vessel_changes_clear: the changes of those vessels are stored again.
DELETE FROM internal.vessel_changes WHERE vessel_id IN (SELECT vessel_id FROM changes_affected);
