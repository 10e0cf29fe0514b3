-- changes_confirmed: the changes of those vessels that nothing makes doubtful.
-- reads: changes, changes_affected, registration, vessel_aliases
-- makes: changes_confirmed
-- needs: changes_affected
CREATE OR REPLACE TEMP TABLE changes_confirmed AS
{{template "confirmed" "(FROM changes WHERE field IN ('flag', 'register', 'mmsi', 'name', 'registered_owner', 'manager') AND vessel_id IN (SELECT vessel_id FROM changes_affected UNION ALL SELECT alias_id FROM vessel_aliases SEMI JOIN changes_affected USING (vessel_id)))"}};
