-- Deadweight by flag over time, with the share of the fleet for which it is known.
-- A sum says little without that share. fleet_of is the fleet of each night as it is best known now; with fleet_on, which
-- has what was known then, the sum grows as lookups arrive. Nights that are not whole are left out: see nights.
-- param flag (flag): an ISO 3166 code, such as PA; the ten flags with most vessels if not given
SELECT n.night, f.flag, count(*) AS vessels, round(sum(f.deadweight_t) / 1e6, 3) AS deadweight_million_t,
       round(100 * count(f.deadweight_t) / count(*), 1) AS percent_known
FROM   (SELECT snapshot_date AS night FROM night_verdicts WHERE whole) AS n, fleet_of(n.night) AS f
WHERE  f.is_vessel AND f.flag = coalesce(getvariable('flag'), f.flag)
GROUP BY n.night, f.flag
QUALIFY row_number() OVER (PARTITION BY n.night ORDER BY count(*) DESC, f.flag) <= 10
ORDER BY n.night, vessels DESC, f.flag;
