-- credits: the ledger against the service's own count. What a run cost is in internal.run_accounts, which the program
-- writes from the account of the journal with each night.
CREATE OR REPLACE VIEW run_credits AS
SELECT r.run_id, r.job, r.started_at, a.balance_before, a.balance_after,
       r.credits_spent AS spent,
       r.credits_unknown AS unknown,
       a.balance_before - a.balance_after AS billed,
       coalesce(a.settled, r.credits_spent) AS settled,
       a.drift,
       a.elsewhere,
       coalesce(a.unproved, r.credits_unknown) AS unproved,
       a.why
FROM   runs AS r
LEFT JOIN internal.run_accounts AS a USING (run_id);
COMMENT ON VIEW run_credits IS 'One row per run: our count of its credits, and that of the service''s balance. Requests of unknown outcome count as spent until a later balance proves that they were not billed.';
COMMENT ON COLUMN run_credits.run_id IS 'The run.';
COMMENT ON COLUMN run_credits.job IS 'The job of the configuration that the run executed.';
COMMENT ON COLUMN run_credits.started_at IS 'When the run began.';
COMMENT ON COLUMN run_credits.balance_before IS 'Credits left before the run; null if the service did not give it.';
COMMENT ON COLUMN run_credits.balance_after IS 'Credits left after the run; of a run that no longer asked for the balance, those before the next run; null if neither is known.';
COMMENT ON COLUMN run_credits.spent IS 'As counted when the run ended, requests of unknown outcome included.';
COMMENT ON COLUMN run_credits.unknown IS 'The part of spent that may not have been billed, as far as was known when the run ended.';
COMMENT ON COLUMN run_credits.billed IS 'By how much the balance decreased; null if unknown.';
COMMENT ON COLUMN run_credits.settled IS 'What the run counts as now: spent, less what later balances prove not to have been billed.';
COMMENT ON COLUMN run_credits.drift IS 'billed less settled: 0 if the two counts agree or what is unproved explains the difference, null if the balance is not known. Above 0, someone else uses the key, or a charge is not what the interface text says; below 0, credits were bought, or a charge is less.';
COMMENT ON COLUMN run_credits.elsewhere IS 'By how much the balance decreased between the previous run and this one: someone else uses the key. Below 0, credits were bought. Null if unknown.';
COMMENT ON COLUMN run_credits.unproved IS 'The part of settled of which no balance tells whether it was billed.';
COMMENT ON COLUMN run_credits.why IS 'Why no balance tells it; null if nothing is unproved.';

CREATE OR REPLACE VIEW credits_daily AS
SELECT d.day, d.job, d.operation, d.requests, d.answers, d.credits, d.unknown, d.rows, b.balance, b.not_billed, b.drift
FROM (
    SELECT (q.sent_at AT TIME ZONE 'UTC')::DATE AS day, r.job, q.operation, count(*)::INTEGER AS requests,
           (count(*) FILTER (q.outcome IN ('ok', 'empty')))::INTEGER AS answers,
           coalesce(sum(q.credits), 0)::INTEGER AS credits,
           coalesce(sum(q.credits) FILTER (q.charge = 'unknown'), 0)::INTEGER AS unknown,
           coalesce(sum(q.rows), 0)::BIGINT AS rows
    FROM   requests AS q
    JOIN   runs AS r USING (run_id)
    GROUP BY ALL
) AS d
LEFT JOIN (
    SELECT (started_at AT TIME ZONE 'UTC')::DATE AS day, job, 'credits' AS operation, arg_max(balance_after, run_id) AS balance,
           sum(spent - settled)::INTEGER AS not_billed, sum(drift)::INTEGER AS drift
    FROM   run_credits
    GROUP BY ALL
) AS b ON b.day = d.day AND b.job IS NOT DISTINCT FROM d.job AND b.operation = d.operation;
COMMENT ON VIEW credits_daily IS 'The credit ledger: one row per day, job and operation. What follows from the balance is in the row of the operation credits, which asks for it, so that each column can be summed.';
COMMENT ON COLUMN credits_daily.day IS 'The day in UTC on which the requests were sent, whatever the time zone of the job or of the session.';
COMMENT ON COLUMN credits_daily.job IS 'The job of the configuration.';
COMMENT ON COLUMN credits_daily.operation IS 'See operations.';
COMMENT ON COLUMN credits_daily.requests IS 'Requests sent.';
COMMENT ON COLUMN credits_daily.answers IS 'Of these, those that were answered, even with an empty result.';
COMMENT ON COLUMN credits_daily.credits IS 'Credits that they count as.';
COMMENT ON COLUMN credits_daily.unknown IS 'The part of credits that may not have been billed.';
COMMENT ON COLUMN credits_daily.rows IS 'Records in the answers.';
COMMENT ON COLUMN credits_daily.balance IS 'Credits left after the last of the job''s runs that began that day; null if unknown, and in the rows of other operations.';
COMMENT ON COLUMN credits_daily.not_billed IS 'The part of unknown, over all operations of the runs that began that day, of which the balance shows that it was not billed; null in the rows of other operations.';
COMMENT ON COLUMN credits_daily.drift IS 'What the balance lost during the runs that began that day beyond our count; see run_credits. Null if unknown, and in the rows of other operations.';
