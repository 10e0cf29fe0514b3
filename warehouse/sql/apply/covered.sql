-- covered: the last earlier night on which each of tonight's searches was complete. Between
-- it and tonight nobody can have left unseen and come back.
CREATE OR REPLACE TEMP TABLE covered AS
SELECT s.sweep, coalesce(max(c.snapshot_date), DATE '0001-01-01') AS last_date
FROM   (SELECT DISTINCT sweep FROM sighted) AS s
LEFT JOIN coverage AS c ON c.value = s.sweep AND c.kind = 'status' AND c.state = 'complete' AND c.snapshot_date < $date
GROUP BY s.sweep;
