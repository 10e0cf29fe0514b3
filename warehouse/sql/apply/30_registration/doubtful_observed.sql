-- doubtful_observed: the values that tonight's list alone gives where an earlier night's gave several, and
-- so decides.
-- reads: contested, internal.doubtful_values, night_listings, second_mmsis
-- makes: doubtful_observed
-- columns: vessel_id VARCHAR, field VARCHAR, value VARCHAR, seen_after TIMESTAMPTZ, observed VARCHAR
-- needs: internal.doubtful_values
-- needs: night_listings
CREATE OR REPLACE TEMP TABLE doubtful_observed AS
SELECT d.vessel_id, d.field, d.value, d.seen_after, n.value AS observed
FROM   internal.doubtful_values AS d
JOIN (
    SELECT l.vessel_id, unnest([{field: 'flag', value: l.flag}, {field: 'vessel_type', value: l.vessel_type}], recursive := true)
    FROM   night_listings AS l
    ANTI JOIN (FROM second_mmsis WHERE second) AS k ON k.vessel_id = l.vessel_id AND k.mmsi = l.mmsi
    WHERE  l.vessel_id IN (SELECT vessel_id FROM internal.doubtful_values)
) AS n ON n.vessel_id = d.vessel_id AND n.field = d.field
ANTI JOIN contested AS c ON c.vessel_id = d.vessel_id AND c.field = d.field
WHERE  d.settled_on IS NULL AND n.value IS NOT NULL
GROUP BY ALL;
