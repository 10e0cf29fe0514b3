-- The listed fleet by flag, category and age.
-- Vessels that were never looked up have no year of build: they are counted as "not known" and not
-- spread over the bands.
SELECT flag, category,
       CASE WHEN age IS NULL THEN 'not known' WHEN age < 5 THEN '0-4' WHEN age < 10 THEN '5-9' WHEN age < 15 THEN '10-14' WHEN age < 20 THEN '15-19' ELSE '20 and more' END AS age_band,
       count(*) AS vessels, sum(deadweight_t)::BIGINT AS deadweight_t
FROM (
    SELECT *, (SELECT year(max(snapshot_date)) FROM runs) - year_built AS age
    FROM   vessels
    WHERE  listed AND is_vessel
)
GROUP BY ALL
ORDER BY vessels DESC, flag, category, age_band;
