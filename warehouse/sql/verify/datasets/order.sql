-- A version of {{.Name}} names its vessel, and begins before it ends.
SELECT '{{.Name}}: ' || count(*) || ' versions without vessel, or that end before they begin'
FROM   {{.Name}}
WHERE  vessel_id IS NULL OR valid_from IS NULL OR valid_to <= valid_from
HAVING count(*) > 0;
