-- How fresh the data are: by category, the share of the listed vessels whose particulars
-- were ever looked up, and the median age of these in days.
SELECT category, count(*) AS vessels, round(100 * count(particulars_seen_at) / count(*), 1) AS percent_looked_up,
       round(median(date_diff('hour', particulars_seen_at, (SELECT max(finished_at) FROM runs))) / 24, 1) AS median_age_days
FROM   vessels
WHERE  listed AND is_vessel
GROUP BY category
ORDER BY vessels DESC, category;
