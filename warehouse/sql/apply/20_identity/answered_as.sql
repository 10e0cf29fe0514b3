-- answered_as: the same of the answers to lookups: what else such an answer has is about the vessel that it names.
-- reads: assigned, lake_particulars
-- makes: answered_as
-- columns: run_id VARCHAR, entry INTEGER, number_id VARCHAR, vessel_id VARCHAR, slip BOOLEAN
-- needs: lake_particulars
-- needs: assigned
CREATE OR REPLACE TEMP TABLE answered_as AS
SELECT DISTINCT l.run_id, l.entry, a.number_id, a.vessel_id, a.slip
FROM   lake_particulars AS l
JOIN   assigned AS a ON a.number_id = l.vessel_id AND a.name = l.name;
