-- vessel_changes: the changes of flag, name and companies of those vessels. Another spelling of a name or a
-- company is none, and neither is a corrected flag: the MMSI stayed, its digits stand for the new flag, and no
-- registration of the vessel ever had digits that stand for the old one.
-- reads: changes_confirmed, flags, management, maritime_identification_digits, registration, vessel_aliases
-- adds to: internal.vessel_changes
-- needs: changes_confirmed
-- after: vessel_changes_clear
INSERT INTO internal.vessel_changes BY NAME
-- ids: the ids of those vessels, and registered: the registrations under them. A number is found in a tenth of the time that a text takes
WITH ids AS (
    SELECT vessel_id, vessel_id AS id FROM changes_confirmed
    UNION
    SELECT vessel_id, alias_id FROM vessel_aliases SEMI JOIN changes_confirmed USING (vessel_id)
), registered AS (
    SELECT vessel_id, mmsi, flag, name, untold, last_seen FROM registration WHERE vessel_number IN (SELECT internal.number_of(id) FROM ids)
-- agreeing: the flags that the MMSI of a vessel has ever stood for, under any of its ids; the MMSI of a territory may be that of its state
), agreeing AS (
    SELECT DISTINCT k.vessel_id, r.flag
    FROM   registered AS r
    JOIN   ids AS k ON k.id = r.vessel_id
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   maritime_identification_digits AS d ON d.digits = left(r.mmsi, 3) AND d.flag IN (r.flag, f.state)
-- seen: until when each value was observed
), seen AS (
    {{template "values_seen" dict "registration" "registered SEMI JOIN changes_confirmed USING (vessel_id)" "management" "management SEMI JOIN changes_confirmed USING (vessel_id)"}}
)
SELECT {{template "vessel_key" "c.vessel_id"}} AS vessel_key, c.field, c.old_value, c.new_value, c.seen_before, c.seen_after, c.snapshot_date, c.run_id, c.entry,
       EXISTS (FROM changes_confirmed AS o WHERE o.vessel_id = c.vessel_id AND o.seen_after = c.seen_after AND o.dataset = c.dataset
               AND CASE c.field WHEN 'flag' THEN o.field = 'mmsi' WHEN 'name' THEN o.field = 'flag' ELSE o.field IN ('registered_owner', 'manager') AND o.field <> c.field AND NOT o.respelled END) AS together,
       r.old_value AS register_before, r.new_value AS register_after,
       EXISTS (FROM seen AS k WHERE k.vessel_id = c.vessel_id AND k.field = c.field AND k.value = c.new_value AND k.until > c.seen_after) AS seen_again
FROM   changes_confirmed AS c
LEFT JOIN changes_confirmed AS r ON c.field = 'flag' AND r.field = 'register' AND r.vessel_id = c.vessel_id AND r.seen_after = c.seen_after
WHERE  CASE c.field
           WHEN 'flag' THEN together
                OR NOT EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.new_value)
                OR EXISTS (FROM agreeing AS g WHERE g.vessel_id = c.vessel_id AND g.flag = c.old_value)
           WHEN 'mmsi' THEN false
           WHEN 'register' THEN false
           ELSE NOT c.respelled END
ORDER BY c.snapshot_date, vessel_key, c.field;
