-- totals: the latest complete coverage of each partition, and what it showed. It counts from
-- the start of its run, when the oldest of its answers came at the earliest.
SELECT c.operation, c.kind, c.value, arg_max(c.received_rows, {night: c.snapshot_date, run: c.run_id}), max(r.started_at)
FROM   coverage AS c
JOIN   runs AS r USING (run_id)
WHERE  c.state = 'complete'
GROUP BY c.operation, c.kind, c.value
ORDER BY c.operation, c.kind, c.value;
