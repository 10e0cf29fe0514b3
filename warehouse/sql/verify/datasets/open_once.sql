-- A vessel has at most one open version of its {{.Name}}.
SELECT '{{.Name}}: ' || count(*) || ' vessels with several open versions, such as ' || min(vessel_id)
FROM   (SELECT vessel_id FROM {{.Name}} WHERE valid_to IS NULL GROUP BY vessel_id HAVING count(*) > 1)
HAVING count(*) > 0;
