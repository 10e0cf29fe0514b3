-- covered: for each of tonight's searches, the last night before that proved who is not in it.
-- Between that night and tonight no vessel can have left unseen and come back.
CREATE OR REPLACE TEMP TABLE covered AS
SELECT t.value AS sweep, coalesce(p.proven_on, DATE '0001-01-01') AS last_date
FROM   (SELECT DISTINCT lower(sweep) AS value FROM sighted) AS t
LEFT JOIN partitions_before AS p ON p.value = t.value AND p.kind = 'status';
