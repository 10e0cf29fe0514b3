-- answered_as: the same of the answers to lookups: what else such an answer has is about the vessel that it names.
CREATE OR REPLACE TEMP TABLE answered_as AS
SELECT DISTINCT l.run_id, l.entry, a.number_id, a.vessel_id, a.slip
FROM   lake_particulars AS l
JOIN   assigned AS a ON a.number_id = l.vessel_id AND a.name = l.name;
