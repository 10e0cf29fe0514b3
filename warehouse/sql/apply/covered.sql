-- covered: the last earlier night that proved who is not in each of tonight's searches. Between
-- it and tonight nobody can have left unseen and come back.
CREATE OR REPLACE TEMP TABLE covered AS
SELECT t.value AS sweep, coalesce(p.proven_on, DATE '0001-01-01') AS last_date
FROM   (SELECT DISTINCT lower(sweep) AS value FROM sighted) AS t
LEFT JOIN partitions_before AS p ON p.value = t.value AND p.kind = 'status';
