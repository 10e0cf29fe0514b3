-- identity_review: the cases in which a person should decide which vessel is which. The program records
-- them and never resolves one by a guess.
CREATE OR REPLACE VIEW identity_review AS
-- claims: each MMSI that was reported with an IMO number, and when
WITH claims AS NOT MATERIALIZED (
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, entry FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL
    UNION ALL
    SELECT vessel_id, mmsi, first_seen, last_seen, run_id, NULL FROM second_mmsi_claims
-- claimed: the MMSIs of several vessels; numbers are compared faster than ids
), claimed AS (
    SELECT mmsi
    FROM   (SELECT mmsi, imo FROM registration WHERE imo IS NOT NULL AND mmsi IS NOT NULL UNION ALL SELECT mmsi, TRY_CAST(ltrim(vessel_id, 'IMO') AS INTEGER) FROM second_mmsi_claims)
    GROUP BY mmsi
    HAVING min(imo) <> max(imo)
-- shared, several: the claims to one MMSI, and of one vessel, that overlap in time
), shared AS (
    SELECT a.mmsi AS value, list(DISTINCT a.vessel_id) AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE mmsi IN (SELECT mmsi FROM claimed)) AS a
    JOIN   claims AS b ON b.mmsi = a.mmsi AND b.vessel_id <> a.vessel_id AND b.first_seen <= a.last_seen AND a.first_seen <= b.last_seen
    WHERE  a.mmsi NOT IN (SELECT raw_value FROM identity_conflicts WHERE field = 'mmsi')
    GROUP BY a.mmsi
), several AS (
    SELECT string_agg(DISTINCT a.mmsi, ', ' ORDER BY a.mmsi) AS value, [a.vessel_id] AS ids, min(greatest(a.first_seen, b.first_seen)) AS since, max(least(a.last_seen, b.last_seen)) AS until, arg_max({run_id: a.run_id, entry: a.entry}, {seen: a.first_seen, run_id: a.run_id, entry: a.entry}) AS evidence
    FROM   (FROM claims WHERE vessel_id IN (SELECT vessel_id FROM second_mmsi_claims)) AS a
    JOIN   claims AS b ON b.vessel_id = a.vessel_id AND b.mmsi <> a.mmsi AND b.first_seen < a.last_seen AND a.first_seen < b.last_seen
    GROUP BY a.vessel_id
-- digits: the flags that the first digits of an MMSI stand for
), digits AS (
    SELECT digits, list(DISTINCT flag) AS flags, string_agg(DISTINCT flag, ' ' ORDER BY flag) AS words FROM maritime_identification_digits GROUP BY digits
-- foreign_digits: the vessels whose MMSI stands for other flags than the vessel has, and since when they have both
), foreign_digits AS (
    SELECT r.vessel_id, r.mmsi, r.flag, r.last_seen, r.run_id, r.entry, d.words AS flags
    FROM   registration AS r
    LEFT JOIN flags AS f ON f.flag = r.flag
    JOIN   digits AS d ON d.digits = left(r.mmsi, 3)
    WHERE  r.valid_to IS NULL AND r.flag IS NOT NULL AND NOT list_contains(d.flags, r.flag) AND NOT coalesce(list_contains(d.flags, f.state), false)
-- timed: the cases that are known by instants, and not by nights
), timed AS (
    SELECT 'shared mmsi' AS kind, ids, value, 'claimed by several vessels at the same time' AS detail, since, until, evidence FROM shared
    UNION ALL
    SELECT 'several mmsis', ids, value, 'claimed by one vessel at the same time', since, until, evidence FROM several
    UNION ALL
    SELECT 'mmsi of another flag', [d.vessel_id], d.mmsi, 'flag ' || d.flag || ', digits of ' || d.flags, s.since, d.last_seen, {run_id: d.run_id, entry: d.entry}
    FROM   foreign_digits AS d
    JOIN   (SELECT vessel_id, mmsi, flag, min(first_seen) AS since FROM registration SEMI JOIN foreign_digits USING (vessel_id, mmsi, flag) GROUP BY vessel_id, mmsi, flag) AS s USING (vessel_id, mmsi, flag)
-- dated: the night of each instant
), dated AS (
    SELECT t.instant, n.snapshot_date
    FROM   (SELECT since AS instant FROM timed UNION SELECT until FROM timed) AS t
    ASOF LEFT JOIN runs AS n ON n.started_at <= t.instant
), cases AS (
    SELECT t.kind, t.ids, t.value, t.detail, a.snapshot_date AS since, b.snapshot_date AS last_date, t.evidence
    FROM   timed AS t
    LEFT JOIN dated AS a ON a.instant = t.since
    LEFT JOIN dated AS b ON b.instant = t.until
    UNION ALL
    SELECT CASE field WHEN 'mmsi' THEN 'identity conflict' WHEN 'imo' THEN 'imo number of another' ELSE 'perhaps one vessel' END, list(DISTINCT vessel_id), raw_value, reason, min(snapshot_date), max(last_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   identity_conflicts
    WHERE  field IN ('mmsi', 'imo', 'vessel_id')
    GROUP BY field, raw_value, reason
    UNION ALL
    SELECT if(field = 'flag', 'several flags', 'several types'), [vessel_id], raw_value, reason, min(snapshot_date), max(last_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   identity_conflicts
    WHERE  field IN ('flag', 'vessel_type')
    GROUP BY vessel_id, field, raw_value, reason
    UNION ALL
    SELECT 'imo number refused', [vessel_id], raw_value, reason, min(snapshot_date), max(snapshot_date), arg_min({run_id: run_id, entry: entry}, {run_id: run_id, entry: entry})
    FROM   vessel_issues -- a vessel that was known by its MMSI, and has shown a right number since, has another id now
    WHERE  field = 'imo'
    GROUP BY vessel_id, raw_value, reason
    UNION ALL
    SELECT 'alias', [vessel_id, alias_id], alias_id, reason, snapshot_date, (SELECT max(snapshot_date) FROM runs WHERE started_at < coalesce(until, 'infinity'::TIMESTAMPTZ)), {run_id: run_id, entry: NULL}
    FROM   vessel_aliases
)
SELECT kind, list_sort(ids)[1] AS vessel_id, nullif(array_to_string(list_sort(ids)[2:], ', '), '') AS other_vessel_ids, value, detail, since, last_date, evidence.run_id AS run_id, evidence.entry AS entry
FROM   cases;
COMMENT ON VIEW identity_review IS 'One row per case of identity that a person should look at. Kinds: identity conflict (several vessels show an MMSI, at a time or one after the other), imo number of another (a ship shows the number of another one), perhaps one vessel (two that may be one under two flags), shared mmsi (several vessels had an MMSI at the same time, by answers of different nights), several mmsis (one vessel had several at the same time, as while it changes its flag), several flags and several types (the list of one night gave a vessel two; value is the one that was not kept), mmsi of another flag, imo number refused, and alias (a vessel that was known by its MMSI alone was given an IMO number, or proved to be one that was known before). A case that ended stays: compare last_date with the last night.';
COMMENT ON COLUMN identity_review.kind IS 'identity conflict, imo number of another, perhaps one vessel, shared mmsi, several mmsis, several flags, several types, mmsi of another flag, imo number refused or alias.';
COMMENT ON COLUMN identity_review.vessel_id IS 'The vessel, or the first of them; null if the record has no number that names one.';
COMMENT ON COLUMN identity_review.other_vessel_ids IS 'The other vessels of the case, separated by commas; null if there is none.';
COMMENT ON COLUMN identity_review.value IS 'The number, flag or type in question; several are separated by commas. Of a refused IMO number, as received.';
COMMENT ON COLUMN identity_review.detail IS 'What is wrong with it.';
COMMENT ON COLUMN identity_review.since IS 'The first night of the case.';
COMMENT ON COLUMN identity_review.last_date IS 'The last night whose answers had it; of an alias, the last night on which it was valid.';
COMMENT ON COLUMN identity_review.run_id IS 'The run whose answer is the evidence.';
COMMENT ON COLUMN identity_review.entry IS 'That answer in the run''s journal; null where the run alone is recorded.';
