-- renamings: the changes of a vessel's name. Another spelling of the same name is none.
CREATE OR REPLACE VIEW renamings AS
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS name_before, c.new_value AS name_after,
       r.name, r.flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel,
       EXISTS (FROM confirmed_changes AS f WHERE f.vessel_id = c.vessel_id AND f.seen_after = c.seen_after AND f.dataset = 'registration' AND f.field = 'flag') AS reflagged_too,
       EXISTS (FROM registration AS k WHERE k.vessel_id = c.vessel_id AND k.name = c.new_value AND coalesce((k.untold ->> 'name')::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   confirmed_changes AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL
WHERE  c.dataset = 'registration' AND c.field = 'name' AND NOT c.respelled;
