-- company_vessels.sql: the vessels on the list that a company owns or manages now, and their numbers in all. $1 is its
-- company_id, $2 the most vessels.
WITH names AS MATERIALIZED (
    SELECT name FROM company_names WHERE company_id = $1
), fleet AS (
    SELECT *, registered_owner IN (FROM names) AS owned, manager IN (FROM names) AS managed
    FROM   vessels
    WHERE  listed AND is_vessel
)
SELECT count(*) OVER () AS total, count(*) FILTER (WHERE owned) OVER () AS all_owned, count(*) FILTER (WHERE managed) OVER () AS all_managed,
       vessel_id, name, flag, country, vessel_type, concat_ws(', ', if(owned, 'owner', NULL), if(managed, 'manager', NULL)) AS role,
       strftime(management_seen_at, '%Y-%m-%d') AS looked_up
FROM   fleet
WHERE  owned OR managed
ORDER BY name NULLS LAST, vessel_id
LIMIT  $2;
