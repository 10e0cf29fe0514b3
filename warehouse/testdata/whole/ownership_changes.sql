-- ownership_changes: the changes of a vessel's registered owner and manager. The first company that is
-- known of a vessel is no change, and neither is another spelling of the same one.
CREATE OR REPLACE VIEW ownership_changes AS
WITH companies AS (
    SELECT * FROM confirmed_changes WHERE dataset = 'management' AND field IN ('registered_owner', 'manager') AND NOT respelled
)
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.field AS role, c.old_value AS company_before, c.new_value AS company_after,
       EXISTS (FROM companies AS o WHERE o.vessel_id = c.vessel_id AND o.seen_after = c.seen_after AND o.field <> c.field) AS both_changed,
       r.name, r.flag, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel,
       EXISTS (FROM management AS k WHERE k.vessel_id = c.vessel_id AND CASE c.field WHEN 'manager' THEN k.manager ELSE k.registered_owner END = c.new_value
               AND coalesce((k.untold ->> c.field)::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   companies AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL;
