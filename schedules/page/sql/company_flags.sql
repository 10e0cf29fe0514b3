-- company_flags.sql: under which flags a company's vessels of now sail. $1 is its name.
SELECT coalesce(r.flag, '') AS flag, coalesce(r.country, 'unknown') AS country, count(*) AS vessels
FROM   management AS m
JOIN   vessels AS r ON r.vessel_id = m.vessel_id
WHERE  m.valid_to IS NULL AND $1 IN (m.registered_owner, m.manager, m.ism)
GROUP BY ALL
ORDER BY vessels DESC, country;
