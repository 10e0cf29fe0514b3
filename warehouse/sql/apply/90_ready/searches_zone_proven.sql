-- searches_zone_proven: the same of the whole zone.
-- reads: searches_tonight
-- changes: internal.searches
-- needs: searches_tonight
-- after: searches_proven
UPDATE internal.searches AS s
SET    zone_proven_after = $date
FROM   searches_tonight AS t
WHERE  t.covers_zone AND s.sweep = t.sweep AND s.snapshot_date < $date AND s.zone_proven_after IS NULL;
