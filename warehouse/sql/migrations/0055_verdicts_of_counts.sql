-- The verdict of the night beside its counts. Nights that are there get that of the view nights of now.
ALTER TABLE fleet_daily ADD COLUMN verdict VARCHAR USING COMPRESSION dictionary;
ALTER TABLE zone_daily ADD COLUMN verdict VARCHAR USING COMPRESSION dictionary;
CREATE TEMP TABLE verdicts AS
WITH searched AS (
    SELECT r.job, c.snapshot_date, bool_or(c.state = 'complete') AS complete,
           bool_and(c.state = 'skipped' AND coalesce(starts_with(c.reason, 'covered at ') OR c.reason LIKE 'about % vessels have come or left %' OR c.reason = 'no longer accepted', false)) AS rests
    FROM   coverage AS c
    JOIN   runs AS r USING (run_id)
    GROUP BY r.job, c.snapshot_date, c.operation, c.kind, lower(c.value)
), counted AS (
    SELECT job, snapshot_date, count(*) FILTER (complete) AS covered, count(*) AS due FROM searched WHERE NOT rests GROUP BY job, snapshot_date
), published AS (
    SELECT job, snapshot_date, arg_max(state, run_id) AS state,
           coalesce(sum(list_sum(list_transform(list_filter(from_json(report -> 'lanes', '[{"operation":"VARCHAR","answers":"INTEGER"}]'), lambda l: l.operation <> 'credits'), lambda l: l.answers))), 0) AS answers
    FROM   runs
    GROUP BY job, snapshot_date
), judged AS (
    SELECT p.snapshot_date,
           CASE WHEN coalesce(c.due, 0) = 0 THEN if(p.answers > 0 AND p.state = 'done', 1, 3) WHEN c.covered = c.due THEN 1 WHEN c.covered = 0 THEN 3 ELSE 2 END AS place
    FROM   published AS p
    LEFT JOIN counted AS c ON c.job IS NOT DISTINCT FROM p.job AND c.snapshot_date = p.snapshot_date
)
SELECT snapshot_date, ['whole', 'partial', 'broken'][min(place)] AS verdict FROM judged GROUP BY snapshot_date;
UPDATE fleet_daily AS d SET verdict = v.verdict FROM verdicts AS v WHERE v.snapshot_date = d.snapshot_date;
UPDATE zone_daily AS d SET verdict = v.verdict FROM verdicts AS v WHERE v.snapshot_date = d.snapshot_date;
DROP TABLE verdicts;
