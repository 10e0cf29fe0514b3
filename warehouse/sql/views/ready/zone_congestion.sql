-- zone_congestion: how many vessels wait, by night, zone and category, and how many usually do. A stay
-- counts on each night from its first to its last that proves absence from its search, because such a
-- night would have ended it otherwise. Searches with filters count, together, only on a night without a
-- plan for the search of all vessels.
--
-- waits: the statuses in which a vessel waits. DuckDB skips what it need not read by a range of texts, and not
-- by a list of them.
{{- define "waits"}}navigational_status IN ('at-anchor', 'drifting') AND navigational_status BETWEEN 'at-anchor' AND 'drifting'{{end}}
-- congestion: the rows of the nights from one to another. It reads these nights and the 28 before, so that a
-- month of ten years takes as long as a month of one.
{{- define "congestion"}}
WITH planned AS (
    SELECT snapshot_date, sweep, navigational_status, world_zone, filters, proves_absence
    FROM   status_searches
    WHERE  {{template "waits"}} AND snapshot_date BETWEEN {{.from}} - 28 AND {{.to}}
-- searches, searched: the searches that make the number of a night, and what they prove together
), searches AS (
    FROM   planned
    WHERE  filters IS NULL OR (snapshot_date, navigational_status, coalesce(world_zone, '')) NOT IN (SELECT (snapshot_date, navigational_status, coalesce(world_zone, '')) FROM planned WHERE filters IS NULL)
), searched AS (
    SELECT snapshot_date, navigational_status, world_zone, string_agg(filters, ' ' ORDER BY filters) AS filters, bool_and(proves_absence) AS proves_absence
    FROM   searches
    GROUP BY snapshot_date, navigational_status, world_zone
), stays AS (
    SELECT e.sweep, {{template "category" "r"}} AS category, greatest(e.first_date, {{.from}} - 28) AS first_date, e.last_date + 1 AS left_date
    FROM   vessel_episodes AS e
    JOIN   registration AS r ON r.vessel_id = e.vessel_id AND r.valid_to IS NULL
    WHERE  {{template "waits"}} AND e.first_date <= {{.to}} AND e.last_date >= {{.from}} - 28 AND {{template "is_vessel" "r"}}
-- steps: by how much the number of each search changes from night to night
), steps AS (
    SELECT sweep, category, coalesce(first_date, left_date) AS from_date, if(grouping(left_date) = 1, count(*), -count(*)) AS vessels
    FROM   stays
    GROUP BY GROUPING SETS ((sweep, category, first_date), (sweep, category, left_date))
-- places: what each search searches, and since when
), places AS (
    SELECT sweep, navigational_status, world_zone, min(snapshot_date) AS since FROM status_searches WHERE {{template "waits"}} GROUP BY sweep, navigational_status, world_zone
-- categories: those that waited at a place
), categories AS (
    SELECT DISTINCT p.navigational_status, p.world_zone, s.category FROM (SELECT DISTINCT sweep, category FROM steps) AS s JOIN places AS p ON p.sweep = s.sweep
-- levels: the steps, and where a night has a search the sum of those up to it
), levels AS (
    SELECT snapshot_date, navigational_status, world_zone, category, sum(vessels) OVER (PARTITION BY sweep, category ORDER BY from_date) AS vessels
    FROM (
        SELECT s.snapshot_date, s.navigational_status, s.world_zone, s.sweep, c.category, s.snapshot_date AS from_date, 0 AS vessels
        FROM   searches AS s
        JOIN   categories AS c ON c.navigational_status = s.navigational_status AND c.world_zone IS NOT DISTINCT FROM s.world_zone
        UNION ALL BY NAME
        SELECT sweep, category, from_date, vessels FROM steps
    )
), waited AS (
    SELECT snapshot_date, navigational_status, world_zone, category, sum(vessels)::INTEGER AS waiting
    FROM   levels
    WHERE  snapshot_date IS NOT NULL
    GROUP BY snapshot_date, navigational_status, world_zone, category
), grid AS (
    SELECT n.snapshot_date, p.navigational_status, p.world_zone, c.category, s.filters, CASE WHEN s.proves_absence THEN w.waiting END AS waiting
    FROM   (SELECT navigational_status, world_zone, min(since) AS since FROM places GROUP BY navigational_status, world_zone) AS p
    JOIN   categories AS c ON c.navigational_status = p.navigational_status AND c.world_zone IS NOT DISTINCT FROM p.world_zone
    JOIN   (SELECT DISTINCT snapshot_date FROM runs WHERE snapshot_date BETWEEN {{.from}} - 28 AND {{.to}}) AS n ON n.snapshot_date >= p.since
    LEFT JOIN searched AS s ON s.snapshot_date = n.snapshot_date AND s.navigational_status = p.navigational_status AND s.world_zone IS NOT DISTINCT FROM p.world_zone
    LEFT JOIN waited AS w ON w.snapshot_date = n.snapshot_date AND w.navigational_status = p.navigational_status AND w.world_zone IS NOT DISTINCT FROM p.world_zone AND w.category = c.category
), compared AS (
    SELECT *, quantile_cont(waiting, [0.25, 0.5, 0.75]) OVER before AS quartiles, (count(waiting) OVER before)::INTEGER AS usual_nights
    FROM   grid
    WINDOW before AS (PARTITION BY navigational_status, world_zone, category, filters ORDER BY snapshot_date RANGE BETWEEN INTERVAL 28 DAY PRECEDING AND INTERVAL 1 DAY PRECEDING)
)
SELECT snapshot_date, world_zone, category, navigational_status, filters, waiting, quartiles[2] AS usual, quartiles[1] AS usual_low, quartiles[3] AS usual_high, usual_nights, waiting - quartiles[2] AS above_usual
FROM   compared
WHERE  snapshot_date >= {{.from}}
{{- end}}
CREATE OR REPLACE VIEW zone_congestion AS
{{- template "congestion" dict "from" "DATE '0001-02-01'" "to" "DATE '9999-12-31'"}};

-- zone_congestion_between: the rows of zone_congestion of the nights from one to another, for the page. A
-- category has rows if it waited there on these nights or the 28 before.
CREATE OR REPLACE MACRO internal.zone_congestion_between(from_night, to_night) AS TABLE
{{- template "congestion" dict "from" "from_night" "to" "to_night"}};
COMMENT ON MACRO TABLE internal.zone_congestion_between IS 'internal.zone_congestion_between(from_night, to_night): the rows of zone_congestion of these nights, without those of categories that did not wait there on them or in the 28 days before.';
COMMENT ON VIEW zone_congestion IS 'One row per night, zone and category: the vessels that wait there, at anchor or drifting, against what is usual there; vessels only. The service searches for drifting vessels worldwide, so that their row has no zone. On a night that did not cover the search waiting is null, which is not zero: so each row says of itself what the verdict of its night says of all. A vessel counts in the category that is known of it now.';
COMMENT ON COLUMN zone_congestion.snapshot_date IS 'The night.';
COMMENT ON COLUMN zone_congestion.world_zone IS 'See world_zones; null for drifting.';
COMMENT ON COLUMN zone_congestion.category IS 'See types; unknown if it is not known. Only categories that ever waited there have rows.';
COMMENT ON COLUMN zone_congestion.navigational_status IS 'at-anchor or drifting.';
COMMENT ON COLUMN zone_congestion.filters IS 'The filters of the searches, if only searches with filters looked there: the others are not counted then. Null if the search was for all vessels.';
COMMENT ON COLUMN zone_congestion.waiting IS 'Vessels; null if the night''s search was not complete, or empty for the first time after a night with vessels, which may be a silent fault, or if there was none.';
COMMENT ON COLUMN zone_congestion.usual IS 'The median of the covered nights with the same filters in the 28 days before; null if there is none. Medians do not add up: the usual of several categories is not their sum.';
COMMENT ON COLUMN zone_congestion.usual_low IS 'Their first quartile: on a quarter of these nights fewer waited.';
COMMENT ON COLUMN zone_congestion.usual_high IS 'Their third quartile: on a quarter of these nights more waited.';
COMMENT ON COLUMN zone_congestion.usual_nights IS 'How many nights these are. With few of them what is usual means little.';
COMMENT ON COLUMN zone_congestion.above_usual IS 'waiting less usual; below zero where fewer wait than usual.';
