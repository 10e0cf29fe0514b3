-- Vessels that sailed under more than one flag, most flags first.
-- A hull keeps its IMO number while name, MMSI and call sign follow the flag.
SELECT imo, count(DISTINCT flag) AS flags, string_agg(flag, ' > ' ORDER BY valid_from) AS in_order,
       arg_max(name, valid_from) AS name_now, (min(valid_from) AT TIME ZONE 'UTC')::DATE AS since, (max(valid_from) AT TIME ZONE 'UTC')::DATE AS last_change
FROM (
    SELECT imo, flag, name, valid_from, lag(flag) OVER (PARTITION BY imo ORDER BY valid_from) AS before
    FROM   registration
    WHERE  imo IS NOT NULL AND flag IS NOT NULL
)
WHERE before IS DISTINCT FROM flag
GROUP BY imo
HAVING count(DISTINCT flag) > 1
ORDER BY flags DESC, last_change DESC, imo;
