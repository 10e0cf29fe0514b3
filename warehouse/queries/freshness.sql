-- How fresh the data are: who was ever looked up, and how long ago, by category.
-- The age is the median, in days, of the particulars of those that were looked up.
SELECT category, count(*) AS vessels, round(100 * count(particulars_seen_at) / count(*), 1) AS percent_looked_up,
       round(median(date_diff('hour', particulars_seen_at, (SELECT max(finished_at) FROM runs))) / 24, 1) AS median_age_days
FROM   vessels
WHERE  listed AND is_vessel
GROUP BY category
ORDER BY vessels DESC, category;
