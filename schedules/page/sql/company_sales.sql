-- company_sales.sql: what a company gained and lost: changes of owner and manager, the newest first. $1 is its company_id,
-- $2 the most.
WITH names AS MATERIALIZED (
    SELECT name FROM company_names WHERE company_id = $1
)
SELECT count(*) OVER () AS total, strftime(snapshot_date, '%Y-%m-%d') AS snapshot_date, vessel_id, name,
       if(role = 'registered_owner', 'owner', role) AS role, company_before, company_after
FROM   ownership_changes
WHERE  company_before IN (FROM names) OR company_after IN (FROM names)
ORDER BY ALL DESC
LIMIT  $2;
