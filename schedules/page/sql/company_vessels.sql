-- company_vessels.sql: the vessels that a company owns or manages as far as is known, or did before. $1 is its name, $2 the
-- most vessels. A vessel has one row: what the company is to her now, else what it was last.
WITH named AS (
    SELECT vessel_id, 'owner' AS role, valid_from, valid_to FROM management WHERE registered_owner = $1
    UNION ALL
    SELECT vessel_id, 'manager', valid_from, valid_to FROM management WHERE manager = $1
    UNION ALL
    SELECT vessel_id, 'ISM manager', valid_from, valid_to FROM management WHERE ism = $1
), roles AS (
    SELECT vessel_id, bool_or(valid_to IS NULL) AS now, min(valid_from) AS since, max(valid_to) AS until,
           string_agg(DISTINCT role, ', ' ORDER BY role) FILTER (WHERE valid_to IS NULL) AS is_now,
           string_agg(DISTINCT role, ', ' ORDER BY role) AS was
    FROM   named
    GROUP BY vessel_id
)
SELECT count(*) OVER () AS total, count(*) FILTER (WHERE o.now) OVER () AS now_total, r.vessel_id, r.name, r.country_iso, r.country, r.vessel_type,
       coalesce(o.is_now, o.was) AS role, o.now, strftime(o.since, '%Y-%m-%d') AS since, if(o.now, '', strftime(o.until, '%Y-%m-%d')) AS until
FROM   roles AS o
JOIN   registration AS r ON r.vessel_id = o.vessel_id AND r.valid_to IS NULL
ORDER BY o.now DESC, r.name NULLS LAST, r.vessel_id
LIMIT  $2;
