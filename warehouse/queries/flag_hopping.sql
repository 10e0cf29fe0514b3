-- Flag hopping: ships that sailed under more than one flag, with their flags in order.
-- A hull keeps its IMO number while name, MMSI and call sign follow the flag. A flag of convenience has an *, by the register.
SELECT v.vessel_id, v.name, v.category, count(DISTINCT r.flag) AS flags, string_agg(r.flag || if(coalesce(g.open_registry, f.open_registry), '*', ''), ' > ' ORDER BY r.valid_from) AS in_order,
       (max(r.valid_from) AT TIME ZONE 'UTC')::DATE AS last_change
FROM   (SELECT *, lag(flag) OVER (PARTITION BY vessel_id ORDER BY valid_from) AS before FROM registration WHERE imo IS NOT NULL AND flag IS NOT NULL) AS r
JOIN   flags AS f USING (flag)
LEFT JOIN registers AS g USING (register)
JOIN   vessels AS v ON v.vessel_id = r.vessel_id AND v.is_vessel
WHERE  r.before IS DISTINCT FROM r.flag
GROUP BY v.vessel_id, v.name, v.category
HAVING count(DISTINCT r.flag) > 1
ORDER BY flags DESC, last_change DESC, v.vessel_id;
