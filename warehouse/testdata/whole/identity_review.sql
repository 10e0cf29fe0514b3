-- identity_review: the cases in which a person should decide which vessel is which. The program records
-- them and never resolves one by a guess.
CREATE OR REPLACE VIEW identity_review AS
-- claims: each MMSI that was reported with an IMO number, and when
WITH claims AS (
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, entry FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL
    UNION ALL
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, NULL FROM second_mmsi_claims
-- shared, several: the claims to one MMSI, and of one vessel, that overlap in time
), shared AS (
    SELECT a.mmsi AS value, list(DISTINCT a.vessel_id) AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE mmsi IN (SELECT mmsi FROM claims GROUP BY mmsi HAVING min(vessel_id) <> max(vessel_id))) AS a
    JOIN   claims AS b ON b.mmsi = a.mmsi AND b.vessel_id <> a.vessel_id AND b.first_seen <= a.last_seen AND a.first_seen <= b.last_seen
    WHERE  a.mmsi NOT IN (SELECT raw_value FROM identity_conflicts WHERE field = 'mmsi')
    GROUP BY a.mmsi
), several AS (
    SELECT string_agg(DISTINCT a.mmsi, ', ' ORDER BY a.mmsi) AS value, [a.vessel_id] AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE vessel_id IN (SELECT vessel_id FROM second_mmsi_claims)) AS a
    JOIN   claims AS b ON b.vessel_id = a.vessel_id AND b.mmsi <> a.mmsi AND b.first_seen < a.last_seen AND a.first_seen < b.last_seen
    GROUP BY a.vessel_id
-- foreign_digits: the vessels whose MMSI stands for other flags than the vessel has, and since when they have both
), foreign_digits AS (
    SELECT r.vessel_id, r.mmsi, r.flag, r.last_seen, {run_id: r.run_id, entry: r.entry} AS evidence, string_agg(DISTINCT d.flag, ' ' ORDER BY d.flag) AS flags
    FROM   registration AS r
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   maritime_identification_digits AS d ON d.digits = left(r.mmsi, 3)
    WHERE  r.valid_to IS NULL AND r.flag IS NOT NULL
    GROUP BY ALL
    HAVING NOT bool_or(d.flag = r.flag OR coalesce(d.flag = f.state, false))
-- timed: the cases that are known by instants, and not by nights
), timed AS (
    SELECT 'shared mmsi' AS kind, ids, value, 'claimed by several vessels at the same time' AS detail, since, until, evidence FROM shared
    UNION ALL
    SELECT 'several mmsis', ids, value, 'claimed by one vessel at the same time', since, until, evidence FROM several
    UNION ALL
    SELECT 'mmsi of another flag', [d.vessel_id], d.mmsi, 'flag ' || d.flag || ', digits of ' || d.flags, min(r.first_seen), d.last_seen, d.evidence
    FROM   foreign_digits AS d
    JOIN   registration AS r ON r.vessel_id = d.vessel_id AND r.mmsi = d.mmsi AND r.flag = d.flag
    GROUP BY ALL
), cases AS (
    SELECT t.kind, t.ids, t.value, t.detail, a.snapshot_date AS since, b.snapshot_date AS last_date, t.evidence
    FROM   timed AS t
    ASOF LEFT JOIN runs AS a ON a.started_at <= t.since
    ASOF LEFT JOIN runs AS b ON b.started_at <= t.until
    UNION ALL
    SELECT 'identity conflict', list(DISTINCT vessel_id), raw_value, reason, min(snapshot_date), max(last_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   identity_conflicts
    GROUP BY field, raw_value, reason
    UNION ALL
    SELECT 'imo number refused', [vessel_id], raw_value, reason, min(snapshot_date), max(snapshot_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   issues
    WHERE  field = 'imo'
    GROUP BY vessel_id, raw_value, reason
    UNION ALL
    SELECT 'alias', [vessel_id, alias_id], alias_id, reason, snapshot_date, (SELECT max(snapshot_date) FROM runs WHERE started_at < coalesce(until, 'infinity'::TIMESTAMPTZ)), {run_id: run_id, entry: NULL}
    FROM   vessel_aliases
)
SELECT kind, list_sort(ids)[1] AS vessel_id, nullif(array_to_string(list_sort(ids)[2:], ', '), '') AS other_vessel_ids, value, detail, since, last_date, evidence.run_id AS run_id, evidence.entry AS entry
FROM   cases;
