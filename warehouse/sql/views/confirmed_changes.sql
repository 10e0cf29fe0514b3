-- confirmed_changes: the changes that nothing makes doubtful, under the id that each vessel has now.
-- While a vessel is known by its MMSI alone, the changes of that id are its own; once the IMO number has
-- a registration, those of that one are, and the MMSI's would repeat them.
CREATE OR REPLACE VIEW confirmed_changes AS
-- aliases: each id that a vessel had, until when it was the vessel's, and the night since which the vessel has a registration of its own
WITH aliases AS (
    SELECT a.alias_id, a.vessel_id, a.since, lag(a.since) OVER (PARTITION BY a.alias_id ORDER BY a.since) AS since_before, r.registered_on
    FROM   vessel_aliases AS a
    JOIN   (SELECT vessel_id, min(snapshot_date) AS registered_on FROM registration GROUP BY vessel_id) AS r USING (vessel_id)
)
SELECT coalesce(a.vessel_id, c.vessel_id) AS vessel_id, c.dataset, c.field, c.old_value, c.new_value, c.seen_before, c.seen_after, c.snapshot_date,
       TRY_CAST(c.new_value AS DOUBLE) IS NULL AND regexp_replace(upper(c.old_value), '[^\p{L}\p{N}]', '', 'g') = regexp_replace(upper(c.new_value), '[^\p{L}\p{N}]', '', 'g') AS respelled, c.run_id, c.entry
FROM   changes AS c
LEFT JOIN aliases AS a ON a.alias_id = c.vessel_id AND c.seen_after <= a.since AND (a.since_before IS NULL OR c.seen_after > a.since_before)
WHERE  c.old_value IS NOT NULL AND c.new_value IS NOT NULL AND NOT c.flapping
  AND  (a.registered_on IS NULL OR c.snapshot_date < a.registered_on);
COMMENT ON VIEW confirmed_changes IS 'The changes from one known value to another that are not doubtful, each once and under the id that the vessel has now. First knowledge of a value, and a value that a single observation had, are no changes; changes has them too.';
COMMENT ON COLUMN confirmed_changes.vessel_id IS 'As in vessels.';
COMMENT ON COLUMN confirmed_changes.dataset IS 'registration, particulars, engine or management.';
COMMENT ON COLUMN confirmed_changes.field IS 'The column of that table.';
COMMENT ON COLUMN confirmed_changes.old_value IS 'As text.';
COMMENT ON COLUMN confirmed_changes.new_value IS 'As text.';
COMMENT ON COLUMN confirmed_changes.seen_before IS 'The last observation of the old value.';
COMMENT ON COLUMN confirmed_changes.seen_after IS 'The first observation of the new value: the change happened between the two.';
COMMENT ON COLUMN confirmed_changes.snapshot_date IS 'The night of that observation.';
COMMENT ON COLUMN confirmed_changes.respelled IS 'Whether the two are texts that differ only in case, blanks and punctuation: another spelling of the same name.';
COMMENT ON COLUMN confirmed_changes.run_id IS 'The run of the new value.';
COMMENT ON COLUMN confirmed_changes.entry IS 'That answer in the run''s journal.';
