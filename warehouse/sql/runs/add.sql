-- add: one row of runs. An empty text is null.
INSERT INTO runs (run_id, job, snapshot_date, started_at, finished_at, state, stop, reason, requests,
    credits_planned, credits_spent, credits_unknown, balance_before, balance_after, continues, rows, report)
VALUES ($1, nullif($2, ''), $3, $4, $5, $6, nullif($7, ''), nullif($8, ''), $9, $10, $11, $12, $13, $14, nullif($15, ''), $16, nullif($17, ''));
