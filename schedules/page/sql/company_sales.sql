-- company_sales.sql: what a company gained and lost: changes of owner and manager, the newest first. $1 is its name, $2 the
-- most.
SELECT count(*) OVER () AS total, strftime(snapshot_date, '%Y-%m-%d') AS snapshot_date, vessel_id, name, role, company_before, company_after
FROM   ownership_changes
WHERE  $1 IN (company_before, company_after)
ORDER BY ALL DESC
LIMIT  $2;
