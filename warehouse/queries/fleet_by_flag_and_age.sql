-- The listed fleet by flag, category and age.
-- Ages are those at the last night, in bands of five years. A vessel that was never looked up has no year of
-- build: it counts as 'not known', and deadweight_t adds up the vessels of with_deadweight only.
SELECT flag, category, coalesce(format('{:02d}-{:02d}', band, band + 4), 'not known') AS age_band, count(*) AS vessels,
       sum(deadweight_t) AS deadweight_t, count(deadweight_t) AS with_deadweight
FROM   (SELECT *, greatest((SELECT year(max(snapshot_date)) FROM runs) - year_built, 0) // 5 * 5 AS band FROM vessels)
WHERE  listed AND is_vessel
GROUP BY ALL
ORDER BY vessels DESC, flag, category, age_band;
