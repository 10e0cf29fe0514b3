-- night_verdict: how far tonight's counts can be trusted, by the rule of the view night_verdicts. All
-- runs of a night are applied together, so that no later night changes it.
-- reads: coverage, runs
-- makes: night_verdict
CREATE OR REPLACE TEMP TABLE night_verdict AS
WITH searched AS (
    {{- template "searched" "WHERE c.snapshot_date = $date"}}
), counted AS (
    SELECT job, count(*) FILTER (state = 'complete') AS covered, count(*) AS due FROM searched WHERE NOT rests GROUP BY job
), published AS (
    SELECT job, arg_max(state, run_id) AS state, coalesce(sum(internal.answers_of(report)), 0) AS answers FROM runs WHERE snapshot_date = $date GROUP BY job
)
SELECT arg_min(verdict, {aside: aside, rank: list_position(['whole', 'partial', 'broken'], verdict)}) AS verdict
FROM   (SELECT {{template "verdict"}} AS verdict, {{template "makes_no_search" "p.job"}} AS aside
        FROM published AS p LEFT JOIN counted AS c ON c.job IS NOT DISTINCT FROM p.job);
