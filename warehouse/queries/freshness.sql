-- How fresh the data are: the share of the listed fleet by the age of each dataset.
-- Each percentage includes those before it, and the ages end with the last run, at as_of.
SELECT dataset, sum(vessels)::INTEGER AS vessels, round(100 * sum(share) FILTER (band <= 1), 1) AS percent_to_a_day, round(100 * sum(share) FILTER (band <= 2), 1) AS percent_to_a_week,
       round(100 * sum(share) FILTER (band <= 3), 1) AS percent_to_a_month, round(100 * sum(share) FILTER (band = 7), 1) AS percent_never, any_value(as_of) AS as_of
FROM   data_freshness
GROUP BY dataset
ORDER BY percent_never, dataset;
