-- second_mmsis: of the vessels that have another MMSI tonight than the one in use, or several,
-- which is in use now; the others are second ones. In this order:
--   one whose country digits agree with the flag of its own entry before one whose do not;
--   the one whose first night is the latest, since a new flag brings a new number. An MMSI by
--   which a vessel was known before it had an IMO number dates from its own first night, and
--   the others that are first seen with the IMO number are no newer than it. One that the vessel
--   had before, and that returns to the list together with the one in use (which only a profile
--   gave, or which was off the list too), is no new one.
-- The one in use counts even if tonight has no row with it, unless coverage proves it gone: of two
-- entries that are on the list together, tonight may have missed the newer.
-- reads: listed, maritime_identification_digits, night_registration, proven_countries, registration
-- reads: repeated_registration, second_mmsi_claims, vessel_aliases
-- makes: second_mmsis
-- columns: vessel_id VARCHAR, mmsi VARCHAR, country VARCHAR, since DATE, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ
-- columns: run_id VARCHAR, second BOOLEAN
-- needs: repeated_registration
CREATE OR REPLACE TEMP TABLE second_mmsis AS
-- tonight: the MMSIs that tonight's entries give to each vessel, and whether their digits agree with the flag
WITH tonight AS (
    SELECT n.vessel_id, n.mmsi, arg_max(n.country, n.seen_at) AS country, min(n.seen_at) AS first_seen, max(n.seen_at) AS last_seen, arg_min(n.run_id, n.seen_at) AS run_id,
           bool_or(EXISTS (FROM maritime_identification_digits AS d WHERE d.digits = left(n.mmsi, 3) AND d.flag = n.flag)) AS agrees
    FROM   night_registration AS n
    SEMI JOIN repeated_registration AS t ON t.vessel_id = n.vessel_id
    WHERE  n.imo IS NOT NULL AND n.mmsi IS NOT NULL
    GROUP BY n.vessel_id, n.mmsi
-- versions: the registrations of these vessels, each with the MMSI before it
), versions AS (
    SELECT vessel_id, mmsi, flag, country, source, snapshot_date, valid_from, lag(mmsi) OVER (PARTITION BY vessel_id ORDER BY valid_from) AS before
    FROM   (FROM registration WHERE vessel_number IN (SELECT internal.number_of(vessel_id) FROM tonight)) AS r
    SEMI JOIN tonight AS t ON t.vessel_id = r.vessel_id
-- in_use: the MMSI of the latest of them, and the night since which it is that one
), in_use AS (
    SELECT vessel_id, arg_max(mmsi, valid_from) AS mmsi, arg_max(flag, valid_from) AS flag, arg_max(country, valid_from) AS country,
           arg_max(source, valid_from) = 'listings' AS was_listed,
           max(snapshot_date) FILTER (mmsi IS DISTINCT FROM before) AS since
    FROM   versions
    GROUP BY vessel_id
-- alone: the MMSIs by which a vessel was known before it had an IMO number
), alone AS (
    SELECT a.vessel_id, r.mmsi, min(r.snapshot_date) AS since
    FROM   vessel_aliases AS a
    JOIN   registration AS r ON r.vessel_id = a.alias_id
    WHERE  a.until IS NULL AND a.vessel_id IN (SELECT vessel_id FROM tonight)
    GROUP BY a.vessel_id, r.mmsi
-- back: an earlier MMSI that returns to the list beside the one in use, and counts as old as that one
), back AS (
    SELECT DISTINCT u.vessel_id, v.mmsi, u.since
    FROM   in_use AS u
    JOIN   (SELECT vessel_id, mmsi FROM versions UNION ALL SELECT vessel_id, mmsi FROM second_mmsi_claims) AS v ON v.vessel_id = u.vessel_id AND v.mmsi <> u.mmsi
    SEMI JOIN tonight AS t ON t.vessel_id = u.vessel_id AND t.mmsi = u.mmsi
    WHERE  NOT u.was_listed OR NOT EXISTS (FROM listed AS h WHERE h.vessel_id = u.vessel_id AND h.to_date IS NULL)
-- met: for a vessel without a registration, since when it was known without an IMO number
), met AS (
    SELECT vessel_id, min(a.since) AS since FROM alone AS a SEMI JOIN tonight AS t USING (vessel_id, mmsi) ANTI JOIN in_use AS u USING (vessel_id) GROUP BY vessel_id
-- candidates: tonight's MMSIs, and the one in use if tonight neither has it nor proves it gone
), candidates AS (
    SELECT t.*, CASE WHEN u.mmsi = t.mmsi THEN least(u.since, a.since) ELSE coalesce(least(c.first_date, a.since), b.since, m.since, $date) END AS since,
           coalesce(u.mmsi, a.mmsi) IS NOT DISTINCT FROM t.mmsi AS used, true AS given
    FROM   tonight AS t
    LEFT JOIN in_use AS u ON u.vessel_id = t.vessel_id
    LEFT JOIN alone AS a ON a.vessel_id = t.vessel_id AND a.mmsi = t.mmsi
    LEFT JOIN back AS b ON b.vessel_id = t.vessel_id AND b.mmsi = t.mmsi
    LEFT JOIN met AS m ON m.vessel_id = t.vessel_id
    LEFT JOIN second_mmsi_claims AS c ON c.vessel_id = t.vessel_id AND c.mmsi = t.mmsi AND c.until IS NULL
    UNION ALL
    SELECT u.vessel_id, u.mmsi, u.country, NULL, NULL, NULL,
           EXISTS (FROM maritime_identification_digits AS d WHERE d.digits = left(u.mmsi, 3) AND d.flag = u.flag), u.since, true, false
    FROM   in_use AS u
    ANTI JOIN tonight AS t ON t.vessel_id = u.vessel_id AND t.mmsi = u.mmsi
    WHERE  u.mmsi IS NOT NULL AND coalesce(u.country, '') NOT IN (FROM proven_countries)
-- ranked: all but the first of a vessel are second MMSIs
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY vessel_id ORDER BY agrees DESC, since DESC, used DESC, mmsi DESC) > 1 AS second
    FROM   candidates
)
SELECT vessel_id, mmsi, country, since, first_seen, last_seen, run_id, second FROM ranked WHERE given;
