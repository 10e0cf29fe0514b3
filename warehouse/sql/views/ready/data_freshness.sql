-- data_freshness: how old what is known of the listed vessels is, by dataset. Ages end with the last run and
-- not now, so that a copy of the file gives the same answer on any day.
CREATE OR REPLACE VIEW data_freshness AS
WITH bands AS (
    SELECT unnest(range(1, 9))::INTEGER AS band, unnest(['up to a day', 'up to a week', 'up to a month', 'up to 3 months', 'up to a year', 'more than a year', 'never', 'time not given']) AS age_band
), datasets AS (
    SELECT unnest(['registration', 'particulars', 'engine', 'management', 'position', 'voyage', 'sighting']) AS dataset
), ages AS (
    SELECT unnest(['registration', 'particulars', 'engine', 'management', 'position', 'voyage', 'sighting']) AS dataset,
           ((SELECT epoch(max(finished_at)) FROM runs) - epoch(unnest([registration_seen_at, particulars_seen_at, engine_seen_at, management_seen_at, position_at, voyage_seen_at, sighting_seen_at]))) / 86400 AS days, latitude IS NOT NULL AS placed
    FROM   vessels
    WHERE  listed AND is_vessel
), counted AS (
    SELECT dataset, CASE WHEN days IS NULL AND placed AND dataset = 'position' THEN 8 WHEN days IS NULL THEN 7 WHEN days <= 1 THEN 1 WHEN days <= 7 THEN 2 WHEN days <= 30 THEN 3 WHEN days <= 91 THEN 4 WHEN days <= 365 THEN 5 ELSE 6 END AS band, count(*) AS vessels
    FROM   ages
    GROUP BY ALL
), complete AS (
    SELECT d.dataset, b.band, b.age_band, coalesce(c.vessels, 0)::INTEGER AS vessels
    FROM   datasets AS d
    JOIN   bands AS b ON true
    LEFT JOIN counted AS c ON c.dataset = d.dataset AND c.band = b.band
)
SELECT dataset, band, age_band, vessels, vessels / nullif(sum(vessels) OVER (PARTITION BY dataset), 0) AS share, (SELECT max(finished_at) FROM runs) AS as_of
FROM   complete;
COMMENT ON VIEW data_freshness IS 'One row per dataset and age band: how many of the listed vessels have data of that age; vessels only. Ages are as of the end of the last run, so that a warehouse which no run updates any more looks as fresh as it was then: compare as_of with today. After a night that was not whole fewer data are up to a day old: nights says why.';
COMMENT ON COLUMN data_freshness.dataset IS 'registration, particulars, engine, management, position, voyage or sighting.';
COMMENT ON COLUMN data_freshness.band IS 'The place of the age band in the order of age; 7 is never, and 8 a position of which the service does not say when it was observed.';
COMMENT ON COLUMN data_freshness.age_band IS 'How long ago the dataset was last observed; of a position, how long ago the vessel was there. never is a dataset that no answer had yet, and time not given a position that has no time.';
COMMENT ON COLUMN data_freshness.vessels IS 'Listed vessels.';
COMMENT ON COLUMN data_freshness.share IS 'Their share of all listed vessels, 0 to 1; those of a dataset add up to 1.';
COMMENT ON COLUMN data_freshness.as_of IS 'When the last run ended: ages count up to it.';
