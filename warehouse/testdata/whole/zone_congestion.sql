-- zone_congestion: how many vessels wait, by night, zone and category, and how many usually do. A stay
-- counts on each night from its first to its last that proves absence from its search, because such a
-- night would have ended it otherwise. Searches with filters count, together, only on a night without a
-- plan for the search of all vessels.
CREATE OR REPLACE VIEW zone_congestion AS
-- searches: the searches that make the number of a night
WITH searches AS (
    SELECT *
    FROM   status_searches
    WHERE  navigational_status IN ('at-anchor', 'drifting')
    QUALIFY filters IS NULL OR count(*) FILTER (filters IS NULL) OVER (PARTITION BY snapshot_date, navigational_status, world_zone) = 0
-- steps, levels: by how much the number of each search changes from night to night, and what it is from a night on
), steps AS (
    SELECT e.sweep, e.navigational_status, e.world_zone, {{template "category" "r"}} AS category, unnest([e.first_date, e.last_date + 1]) AS from_date, unnest([1, -1]) AS vessels
    FROM   vessel_episodes AS e
    JOIN   registration AS r ON r.vessel_id = e.vessel_id AND r.valid_to IS NULL
    WHERE  e.navigational_status IN ('at-anchor', 'drifting') AND {{template "is_vessel" "r"}}
), levels AS (
    SELECT sweep, category, from_date, (sum(sum(vessels)) OVER (PARTITION BY sweep, category ORDER BY from_date))::INTEGER AS vessels
    FROM   steps
    GROUP BY sweep, category, from_date
-- categories: those that ever waited at a place
), categories AS (
    SELECT DISTINCT navigational_status, world_zone, category FROM steps
), waited AS (
    SELECT s.snapshot_date, s.navigational_status, s.world_zone, c.category, string_agg(s.filters, ' ' ORDER BY s.filters) AS filters,
           CASE WHEN bool_and(s.proves_absence) THEN sum(coalesce(l.vessels, 0))::INTEGER END AS waiting
    FROM   searches AS s
    JOIN   categories AS c ON c.navigational_status = s.navigational_status AND c.world_zone IS NOT DISTINCT FROM s.world_zone
    ASOF LEFT JOIN levels AS l ON l.sweep = s.sweep AND l.category = c.category AND l.from_date <= s.snapshot_date
    GROUP BY s.snapshot_date, s.navigational_status, s.world_zone, c.category
-- places: since when each status is searched for in each zone
), places AS (
    SELECT navigational_status, world_zone, min(snapshot_date) AS since FROM searches GROUP BY navigational_status, world_zone
), grid AS (
    SELECT n.snapshot_date, p.navigational_status, p.world_zone, c.category
    FROM   places AS p
    JOIN   categories AS c ON c.navigational_status = p.navigational_status AND c.world_zone IS NOT DISTINCT FROM p.world_zone
    JOIN   (SELECT DISTINCT snapshot_date FROM runs) AS n ON n.snapshot_date >= p.since
), compared AS (
    SELECT g.*, w.filters, w.waiting, quantile_cont(w.waiting, [0.25, 0.5, 0.75]) OVER before AS quartiles, (count(w.waiting) OVER before)::INTEGER AS usual_nights
    FROM   grid AS g
    LEFT JOIN waited AS w ON w.snapshot_date = g.snapshot_date AND w.navigational_status = g.navigational_status AND w.world_zone IS NOT DISTINCT FROM g.world_zone AND w.category = g.category
    WINDOW before AS (PARTITION BY g.navigational_status, g.world_zone, g.category, w.filters ORDER BY g.snapshot_date RANGE BETWEEN INTERVAL 28 DAY PRECEDING AND INTERVAL 1 DAY PRECEDING)
)
SELECT snapshot_date, world_zone, category, navigational_status, filters, waiting, quartiles[2] AS usual, quartiles[1] AS usual_low, quartiles[3] AS usual_high, usual_nights, waiting - quartiles[2] AS above_usual
FROM   compared;
