-- covered: for each of tonight's searches, the latest earlier night that proved which vessels are not
-- in it. A vessel that was seen on that night or later has not provably left since.
-- reads: partitions_before, sighted
-- makes: covered
-- needs: sighted
CREATE OR REPLACE TEMP TABLE covered AS
SELECT t.value AS sweep, coalesce(p.proven_on, DATE '0001-01-01') AS last_date
FROM   (SELECT DISTINCT lower(sweep) AS value FROM sighted) AS t
LEFT JOIN partitions_before AS p ON p.value = t.value AND p.kind = 'status';
