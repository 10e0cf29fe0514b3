-- IMO numbers of the listed fleet by category: valid, refused, and never reported.
-- Refused is a number that was reported and fails its check digit or its form. Vessels without an IMO number
-- are known by their MMSI.
SELECT v.category, count(*) AS vessels, count(v.imo) AS valid, count(r.raw_value) FILTER (v.imo IS NULL) AS refused,
       count(*) FILTER (v.imo IS NULL AND r.raw_value IS NULL) AS never_reported, round(100 * count(v.imo) / count(*), 1) AS percent_valid,
       min(r.raw_value) FILTER (v.imo IS NULL) AS refused_example
FROM   vessels AS v
LEFT JOIN (SELECT vessel_id, max(raw_value) AS raw_value FROM issues WHERE field = 'imo' GROUP BY vessel_id) AS r USING (vessel_id)
WHERE  v.listed AND v.is_vessel
GROUP BY v.category
ORDER BY vessels DESC, v.category;
