-- changes_affected: the vessels whose changes of flag, name and companies are computed again: those that
-- changed tonight or have another id since, those of whose ids tonight has a new registration, and those of which
-- tonight decides what an earlier night left in doubt.
-- reads: changes, internal.doubtful_values, registration, vessel_aliases
-- makes: changes_affected
-- needs: lake_numbers
CREATE OR REPLACE TEMP TABLE changes_affected AS
WITH registered AS (
    SELECT a.alias_id, a.vessel_id
    FROM   vessel_aliases AS a
    JOIN   (SELECT vessel_id FROM registration WHERE snapshot_date = $date) AS r ON r.vessel_id IN (a.alias_id, a.vessel_id)
)
SELECT coalesce(a.vessel_id, c.vessel_id) AS vessel_id
FROM   (SELECT vessel_id FROM changes WHERE snapshot_date = $date AND field IN ('flag', 'register', 'mmsi', 'name', 'registered_owner', 'manager')) AS c
LEFT JOIN vessel_aliases AS a ON a.alias_id = c.vessel_id
UNION
SELECT vessel_id FROM changes WHERE snapshot_date = $date AND field IN ('flag', 'register', 'mmsi', 'name', 'registered_owner', 'manager')
UNION
SELECT unnest([alias_id, vessel_id]) FROM vessel_aliases WHERE snapshot_date = $date
UNION
SELECT unnest([alias_id, vessel_id]) FROM registered
UNION
SELECT coalesce(a.vessel_id, d.vessel_id) FROM internal.doubtful_values AS d LEFT JOIN vessel_aliases AS a ON a.alias_id = d.vessel_id WHERE d.settled_on = $date;
