-- contested: the flags and types of vessels of which tonight's list gives several, as when a vessel changes
-- them while the list is read, and which of them is kept. The order of the answers has no say. In this order:
--   a flag that the country digits of the MMSI stand for;
--   the value that a lookup of tonight gives;
--   the value that was known before, if neither of these speaks against it;
--   the first of the alphabet.
-- reads: flags, maritime_identification_digits, night_registration, registration, repeated_registration, second_mmsis
-- makes: contested
-- columns: vessel_id VARCHAR, field VARCHAR, value VARCHAR, known VARCHAR, run_id VARCHAR, entry INTEGER, kept BOOLEAN
-- needs: repeated_registration
CREATE OR REPLACE TEMP TABLE contested AS
-- answers: the values that tonight's entries and lookups give; an entry with a second MMSI has no say, nor has a flag that was derived from a country code
WITH answers AS (
    SELECT n.vessel_id, n.mmsi, n.source, n.seen_at, n.run_id, n.entry,
           unnest([{field: 'flag', value: CASE WHEN n.country IS NOT NULL AND NOT coalesce(contains(n.raw, '"country":null'), false) THEN n.flag END}, {field: 'vessel_type', value: n.vessel_type}], recursive := true)
    FROM   night_registration AS n
    SEMI JOIN repeated_registration AS t ON t.vessel_id = n.vessel_id
    ANTI JOIN (FROM second_mmsis WHERE second) AS k ON k.vessel_id = n.vessel_id AND k.mmsi = n.mmsi
    WHERE  n.source <> 'sightings'
), several AS (
    SELECT vessel_id, field FROM answers WHERE source = 'listings' GROUP BY vessel_id, field HAVING min(value) <> max(value)
), known AS (
    SELECT vessel_id, unnest([{field: 'flag', value: flag}, {field: 'vessel_type', value: vessel_type}], recursive := true)
    FROM   registration
    WHERE  valid_to IS NULL AND vessel_number IN (SELECT internal.number_of(vessel_id) FROM several)
), given AS (
    SELECT a.vessel_id, a.field, a.value, k.value AS known, bool_or(a.source = 'particulars') AS looked_up,
           bool_or(a.field = 'flag' AND EXISTS (FROM maritime_identification_digits AS d WHERE d.digits = left(a.mmsi, 3) AND d.flag IN (a.value, f.state))) AS agrees,
           first(a.run_id ORDER BY a.seen_at, a.run_id, a.entry) AS run_id, first(a.entry ORDER BY a.seen_at, a.run_id, a.entry) AS entry
    FROM   answers AS a
    SEMI JOIN several AS s ON s.vessel_id = a.vessel_id AND s.field = a.field
    LEFT JOIN flags AS f ON f.flag = a.value
    LEFT JOIN known AS k ON k.vessel_id = a.vessel_id AND k.field = a.field
    WHERE  a.value IS NOT NULL
    GROUP BY a.vessel_id, a.field, a.value, k.value
)
SELECT vessel_id, field, value, known, run_id, entry,
       row_number() OVER (PARTITION BY vessel_id, field ORDER BY agrees DESC, looked_up DESC, coalesce(value = known, false) DESC, value) = 1 AS kept
FROM   given;
