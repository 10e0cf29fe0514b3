-- company_flags.sql: under which flags those vessels sail. $1 is the company_id.
WITH names AS MATERIALIZED (
    SELECT name FROM company_names WHERE company_id = $1
)
SELECT coalesce(flag, '') AS flag, coalesce(country, 'unknown') AS country, count(*) AS vessels
FROM   vessels
WHERE  listed AND is_vessel AND (registered_owner IN (FROM names) OR manager IN (FROM names))
GROUP BY ALL
ORDER BY vessels DESC, country;
