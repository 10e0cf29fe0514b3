-- What the runs did: the ledger and the proof of what was seen.

CREATE TABLE runs (
    run_id VARCHAR, job VARCHAR, snapshot_date DATE, started_at TIMESTAMP, finished_at TIMESTAMP,
    state VARCHAR, stop VARCHAR, reason VARCHAR, requests INTEGER,
    credits_planned BIGINT, credits_spent BIGINT, credits_unknown BIGINT, balance_before BIGINT, balance_after BIGINT,
    continues VARCHAR, rows BIGINT, report VARCHAR
);
COMMENT ON TABLE runs IS 'One row per run whose answers are in this file.';
COMMENT ON COLUMN runs.run_id IS 'Sorts by time.';
COMMENT ON COLUMN runs.job IS 'The job of the configuration that the run executed.';
COMMENT ON COLUMN runs.snapshot_date IS 'The civil date, in the job''s time zone, that the run stands for.';
COMMENT ON COLUMN runs.started_at IS 'UTC.';
COMMENT ON COLUMN runs.finished_at IS 'UTC; when the last answer was on disk.';
COMMENT ON COLUMN runs.state IS 'done, partial, interrupted, killed or failed.';
COMMENT ON COLUMN runs.stop IS 'What ended the run before its plan was done: budget, credits, key, deadline, signal or service; null if nothing did.';
COMMENT ON COLUMN runs.reason IS 'What ended it, in words.';
COMMENT ON COLUMN runs.requests IS 'Requests sent.';
COMMENT ON COLUMN runs.credits_planned IS 'The most that the plan could cost.';
COMMENT ON COLUMN runs.credits_spent IS 'As counted, requests of unknown outcome included.';
COMMENT ON COLUMN runs.credits_unknown IS 'The part of credits_spent that may not have been billed.';
COMMENT ON COLUMN runs.balance_before IS 'Credits left by the service''s own count before the run; null if it was not told.';
COMMENT ON COLUMN runs.balance_after IS 'Credits left by the service''s own count after the run; null if it was not told.';
COMMENT ON COLUMN runs.continues IS 'Earlier runs of the night that this one went on from, separated by commas.';
COMMENT ON COLUMN runs.rows IS 'Rows that the run brought to the lake.';
COMMENT ON COLUMN runs.report IS 'The whole report, as JSON.';

CREATE TABLE coverage (
    run_id VARCHAR, snapshot_date DATE, operation VARCHAR, kind VARCHAR, value VARCHAR,
    pages INTEGER, expected_rows INTEGER, received_rows INTEGER, state VARCHAR, reason VARCHAR
);
COMMENT ON TABLE coverage IS 'What each run proved it saw of each partition. Only complete coverage proves absence.';
COMMENT ON COLUMN coverage.run_id IS 'The run; a run that continues others counts their pages too.';
COMMENT ON COLUMN coverage.snapshot_date IS 'The night.';
COMMENT ON COLUMN coverage.operation IS 'by-type or by-status.';
COMMENT ON COLUMN coverage.kind IS 'country, type, type+country or status.';
COMMENT ON COLUMN coverage.value IS 'The country, the type, or the status with its zone and filters: moored/north-sea?laden=ballast.';
COMMENT ON COLUMN coverage.pages IS 'Pages received.';
COMMENT ON COLUMN coverage.expected_rows IS 'Vessels that the service said there are; null if it did not say.';
COMMENT ON COLUMN coverage.received_rows IS 'Vessels that came.';
COMMENT ON COLUMN coverage.state IS 'complete, partial, failed, suspect or skipped.';
COMMENT ON COLUMN coverage.reason IS 'Why it is not complete.';

CREATE TABLE requests (
    run_id VARCHAR, entry INTEGER, snapshot_date DATE, operation VARCHAR, parameters VARCHAR,
    sent_at TIMESTAMP, received_at TIMESTAMP, http_status INTEGER, credits INTEGER, charge VARCHAR, outcome VARCHAR, rows INTEGER
);
COMMENT ON TABLE requests IS 'One row per request sent: the credit ledger.';
COMMENT ON COLUMN requests.run_id IS 'The run that sent it.';
COMMENT ON COLUMN requests.entry IS 'Its place in the run''s journal.';
COMMENT ON COLUMN requests.snapshot_date IS 'The night.';
COMMENT ON COLUMN requests.operation IS 'by-status, by-type, info, particulars or credits.';
COMMENT ON COLUMN requests.parameters IS 'URL encoded, keys sorted.';
COMMENT ON COLUMN requests.sent_at IS 'UTC.';
COMMENT ON COLUMN requests.received_at IS 'UTC; when the last byte came, or when it was given up.';
COMMENT ON COLUMN requests.http_status IS 'Null when no whole answer came.';
COMMENT ON COLUMN requests.credits IS 'What it counts as.';
COMMENT ON COLUMN requests.charge IS 'How the credits are known: priced, free, assumed or unknown.';
COMMENT ON COLUMN requests.outcome IS 'ok, empty, or why there are no data.';
COMMENT ON COLUMN requests.rows IS 'Records in the answer.';

CREATE TABLE issues (
    run_id VARCHAR, entry INTEGER, snapshot_date DATE, vessel_id VARCHAR, dataset VARCHAR, field VARCHAR, raw_value VARCHAR, reason VARCHAR
);
COMMENT ON TABLE issues IS 'One row per value or record that was not accepted as it came.';
COMMENT ON COLUMN issues.run_id IS 'The run that met it.';
COMMENT ON COLUMN issues.entry IS 'The answer in the run''s journal.';
COMMENT ON COLUMN issues.snapshot_date IS 'The night.';
COMMENT ON COLUMN issues.vessel_id IS 'The vessel, if the record names one.';
COMMENT ON COLUMN issues.dataset IS 'registration, particulars, engine, management, position or sighting.';
COMMENT ON COLUMN issues.field IS 'Our column; null when the whole record or answer is meant.';
COMMENT ON COLUMN issues.raw_value IS 'As it came.';
COMMENT ON COLUMN issues.reason IS 'One of a few fixed words, to be counted.';
