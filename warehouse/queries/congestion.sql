-- Congestion over time: cargo vessels and tankers that wait in a zone, against what is usual there.
-- They are at anchor or adrift. Usual is the median of the four weeks before each night; waiting is null for
-- a night whose searches do not prove a number.
-- param zone (zone): a world zone, such as south-east-asia; the one that was furthest above its usual if not given
SELECT snapshot_date AS night, world_zone, sum(waiting)::INTEGER AS waiting, sum(usual) AS usual,
       round(sum(waiting) / nullif(sum(usual), 0), 1) AS times_usual, min(usual_nights) AS usual_from_nights
FROM   zone_congestion
WHERE  category IN ('cargo', 'tanker')
  AND  world_zone = coalesce(getvariable('zone'), (SELECT arg_max(world_zone, above_usual) FROM zone_congestion WHERE usual_nights > 2))
GROUP BY ALL
ORDER BY night;
