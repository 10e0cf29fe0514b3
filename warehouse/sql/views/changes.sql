-- changes: macros that select changes.
CREATE OR REPLACE MACRO changes_between(a, b) AS TABLE
SELECT * FROM changes WHERE seen_after >= a::TIMESTAMPTZ AND seen_after < b::TIMESTAMPTZ;
COMMENT ON MACRO TABLE changes_between IS 'changes_between(a, b): the changes that were first seen from a on and before b.';

CREATE OR REPLACE MACRO changes_of(vessel) AS TABLE
SELECT c.*
FROM   changes AS c
WHERE  c.vessel_id = vessel
    OR c.vessel_id IN (SELECT alias_id FROM vessel_aliases WHERE vessel_id = vessel AND c.seen_after <= since);
COMMENT ON MACRO TABLE changes_of IS 'changes_of(vessel): the changes of one vessel, including those while it was known by its MMSI alone.';
