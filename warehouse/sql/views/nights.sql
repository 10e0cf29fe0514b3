-- nights: whether a night can be trusted, from its runs, its coverage and the accounts of the journal.
-- The two macros have the lambdas of the view: DuckDB writes one in a view in another way when the file is opened again, and
-- the file would seem to have been changed.
CREATE OR REPLACE MACRO internal.answers_of(report) AS
    list_sum(list_transform(list_filter(from_json(report -> 'lanes', '[{"operation":"VARCHAR","answers":"INTEGER"}]'), lambda l: l.operation <> 'credits'), lambda l: l.answers));
COMMENT ON MACRO internal.answers_of IS 'internal.answers_of(report): the number of answers of a run, by its report; those about credits do not count.';
CREATE OR REPLACE MACRO internal.left_out_of(report) AS
    nullif(array_to_string(flatten(list_transform(from_json(report -> 'work', '[{"what":"VARCHAR","asked":"BIGINT","left":[{"state":"VARCHAR","count":"BIGINT","why":"VARCHAR"}]}]'),
              lambda w: list_transform(coalesce(w."left", []), lambda l: l.count || ' of ' || w.asked || ' ' || w.what || ' ' || l.state || ': ' || l.why))), '; '), '');
COMMENT ON MACRO internal.left_out_of IS 'internal.left_out_of(report): what a run left out and why, in words, by its report; null for nothing.';

CREATE OR REPLACE VIEW nights AS
WITH published AS (
    SELECT job, snapshot_date, count(*)::INTEGER AS runs, sum(requests)::INTEGER AS requests, sum(credits_spent)::BIGINT AS credits, max(run_id) AS run_id,
           arg_max(state, run_id) AS state, arg_max(reason, run_id) AS reason, arg_max(report, run_id) AS report,
           coalesce(sum(internal.answers_of(report)), 0) AS answers
    FROM   runs
    WHERE  job IS DISTINCT FROM 'probe' -- a question of fleetlake probe is no night
    GROUP BY job, snapshot_date
-- unpublished: what was paid on a day in runs that are not in this file
), unpublished AS (
    SELECT strptime(left(run_id, 8), '%Y%m%d')::DATE AS day, sum(settled)::BIGINT AS credits FROM internal.run_accounts ANTI JOIN runs USING (run_id) GROUP BY day
-- grid: each civil day from a job's first night to the last of the file, and by how many days it is before or after that in UTC
), grid AS (
    SELECT job, unnest(generate_series(first_night, last_night, INTERVAL 1 DAY))::DATE AS snapshot_date, ahead
    FROM   (SELECT job, min(snapshot_date) AS first_night, (SELECT max(snapshot_date) FROM runs) AS last_night,
                   arg_max(snapshot_date - (started_at AT TIME ZONE 'UTC')::DATE, run_id) AS ahead
            FROM runs WHERE job IS DISTINCT FROM 'probe' GROUP BY job)
), searched AS (
    {{- template "searched" ""}}
), counted AS (
    SELECT job, snapshot_date, count(*) FILTER (state = 'complete') AS covered, count(*) AS due,
           count(*) FILTER (operation = 'by-type' AND state = 'complete') AS by_type_covered, count(*) FILTER (operation = 'by-type') AS by_type_total,
           count(*) FILTER (operation = 'by-status' AND state = 'complete') AS by_status_covered, count(*) FILTER (operation = 'by-status') AS by_status_total
    FROM   searched
    WHERE  NOT rests
    GROUP BY job, snapshot_date
-- missing: the searches that were due and are not covered, in words
), missing AS (
    SELECT job, snapshot_date, string_agg(searches || ' of ' || operation || ' ' || state || if(reason = '', '', ', ' || reason), '; ' ORDER BY searches DESC, operation, state, reason) AS words
    FROM   (SELECT job, snapshot_date, operation, state, reason, count(*) AS searches FROM searched WHERE NOT rests AND state <> 'complete' GROUP BY ALL)
    GROUP BY job, snapshot_date
), judged AS (
    SELECT g.job, g.snapshot_date,
           CASE WHEN p.run_id IS NULL THEN if(u.day IS NULL, 'none', 'held back')
                ELSE {{template "verdict"}} END AS verdict,
           CASE verdict WHEN 'none' THEN 'no run of this night is published: none began, or none got as far as a request, as when a job with a floor could not read the balance; fleetlake status and the log have more'
                        WHEN 'held back' THEN 'a run that began that day is paid for and is not in this file: it is held back, or was rolled back'
                        WHEN 'whole' THEN if(coalesce(c.due, 0) = 0, 'no search was due', 'every search that was due is covered')
                        ELSE concat_ws('; ', CASE WHEN coalesce(c.due, 0) = 0 THEN 'nothing was searched' WHEN verdict = 'broken' THEN 'no search is covered' ELSE (c.due - c.covered) || ' of ' || c.due || ' searches are not covered' END,
                                       m.words, if(p.state = 'done', NULL, 'the run is ' || p.state), p.reason) END AS reason,
           coalesce(c.by_type_covered, 0)::INTEGER AS by_type_covered, coalesce(c.by_type_total, 0)::INTEGER AS by_type_total,
           coalesce(c.by_status_covered, 0)::INTEGER AS by_status_covered, coalesce(c.by_status_total, 0)::INTEGER AS by_status_total,
           p.report, coalesce(p.runs, 0) AS runs, coalesce(p.requests, 0) AS requests, coalesce(p.credits, if(verdict = 'held back', u.credits, 0)) AS credits
    FROM   grid AS g
    LEFT JOIN published AS p ON p.job IS NOT DISTINCT FROM g.job AND p.snapshot_date = g.snapshot_date
    LEFT JOIN counted AS c ON c.job IS NOT DISTINCT FROM g.job AND c.snapshot_date = g.snapshot_date
    LEFT JOIN missing AS m ON m.job IS NOT DISTINCT FROM g.job AND m.snapshot_date = g.snapshot_date
    LEFT JOIN unpublished AS u ON u.day + g.ahead::INTEGER = g.snapshot_date
)
SELECT job, snapshot_date, verdict, reason, by_type_covered, by_type_total, by_status_covered, by_status_total,
       -- what the report of the night's last run says is left
       internal.left_out_of(report) AS left_out,
       runs, requests, credits,
       last_value(CASE WHEN verdict = 'whole' THEN snapshot_date END IGNORE NULLS) OVER (PARTITION BY job ORDER BY snapshot_date ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_whole_night
FROM   judged;
COMMENT ON VIEW nights IS 'One row per job and night, from its first to the last of the file: whether its counts can be trusted, and why. A count by night means what its verdict says: of a night that is not whole it lacks what was not searched. night_verdicts has one row per night over all jobs.';
COMMENT ON COLUMN nights.job IS 'The job of the configuration.';
COMMENT ON COLUMN nights.snapshot_date IS 'The night. A day without a run has a row, too, also of a job that does not run every day.';
COMMENT ON COLUMN nights.verdict IS 'whole: every search that was due is covered; partial: some are; broken: none is, as when the service was down; held back: a run is paid for and not in this file; none: no run is published. A search that was made within its time, or that the service no longer offers, is not due.';
COMMENT ON COLUMN nights.reason IS 'Why, in words.';
COMMENT ON COLUMN nights.by_type_covered IS 'Searches of the list that the runs of the night cover completely, together.';
COMMENT ON COLUMN nights.by_type_total IS 'Searches of the list that were due, those included that a cap or the time left out.';
COMMENT ON COLUMN nights.by_status_covered IS 'Status searches that the runs of the night cover completely, together.';
COMMENT ON COLUMN nights.by_status_total IS 'Status searches that were due, those included that a cap or the time left out.';
COMMENT ON COLUMN nights.left_out IS 'Searches and lookups that the last run of the night planned or left, with the reason, in words; null if there are none.';
COMMENT ON COLUMN nights.runs IS 'Published runs of the night.';
COMMENT ON COLUMN nights.requests IS 'Requests that they sent.';
COMMENT ON COLUMN nights.credits IS 'Credits of these runs as counted when they ended; of a night that is held back those of the run that is not published.';
COMMENT ON COLUMN nights.previous_whole_night IS 'The last night of the job before with the verdict whole; null if there is none.';

CREATE OR REPLACE VIEW night_verdicts AS
SELECT snapshot_date, best.verdict AS verdict, best.reason AS reason, best.verdict = 'whole' AS whole
FROM (
    SELECT snapshot_date,
           arg_min({verdict: verdict, reason: reason},
                   {aside: {{template "makes_no_search" "n.job"}}, rank: list_position(['whole', 'partial', 'broken', 'held back', 'none'], verdict)}) AS best
    FROM   nights AS n
    GROUP BY snapshot_date
);
COMMENT ON VIEW night_verdicts IS 'One row per night: the best verdict of its jobs that search (one that only looks vessels up says nothing of the counts of others; it counts where no job searches), to join a count by night with, such as fleet_daily, zone_daily or fleet_on(night).';
COMMENT ON COLUMN night_verdicts.snapshot_date IS 'The night.';
COMMENT ON COLUMN night_verdicts.verdict IS 'As in nights.';
COMMENT ON COLUMN night_verdicts.reason IS 'Why, in words.';
COMMENT ON COLUMN night_verdicts.whole IS 'Whether the verdict is whole.';
