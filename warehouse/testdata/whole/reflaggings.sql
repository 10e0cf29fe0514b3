-- reflaggings: the changes of a vessel's flag. A corrected entry is none: the MMSI stayed, its digits
-- stand for the new flag, and no registration of the vessel ever had digits that stand for the old one.
CREATE OR REPLACE VIEW reflaggings AS
WITH flagged AS (
    SELECT c.*, EXISTS (FROM confirmed_changes AS m WHERE m.vessel_id = c.vessel_id AND m.seen_after = c.seen_after AND m.dataset = 'registration' AND m.field = 'mmsi') AS mmsi_changed
    FROM   confirmed_changes AS c
    WHERE  c.dataset = 'registration' AND c.field = 'flag'
-- agreeing: the flags that the MMSI of such a vessel has ever stood for, under any of its ids; the MMSI of a territory may be that of its state
), agreeing AS (
    SELECT DISTINCT k.vessel_id, r.flag
    FROM   registration AS r
    JOIN   (SELECT vessel_id, vessel_id AS id FROM flagged UNION SELECT vessel_id, alias_id FROM vessel_aliases) AS k ON k.id = r.vessel_id
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   maritime_identification_digits AS d ON d.digits = left(r.mmsi, 3) AND d.flag IN (r.flag, f.state)
)
SELECT c.vessel_id, r.imo, c.snapshot_date, c.seen_before, c.seen_after, c.old_value AS flag_before, c.new_value AS flag_after,
       b.open_registry AS open_registry_before, a.open_registry AS open_registry_after, c.mmsi_changed,
       r.name, {{template "category" "r"}} AS category, {{template "is_vessel" "r"}} AS is_vessel,
       EXISTS (FROM registration AS k WHERE k.vessel_id = c.vessel_id AND k.flag = c.new_value AND coalesce((k.untold ->> 'flag')::TIMESTAMPTZ, k.last_seen) > c.seen_after) AS seen_again,
       c.run_id, c.entry
FROM   flagged AS c
JOIN   registration AS r ON r.vessel_id = c.vessel_id AND r.valid_to IS NULL
LEFT JOIN flags AS b ON b.flag = c.old_value
LEFT JOIN flags AS a ON a.flag = c.new_value
WHERE  c.mmsi_changed
   OR  NOT EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.new_value)
   OR  EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.old_value);
