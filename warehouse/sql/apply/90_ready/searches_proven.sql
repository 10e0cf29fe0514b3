-- searches_proven: tonight is the first night that proves an absence from these searches since theirs.
-- reads: searches_tonight
-- changes: internal.searches
-- needs: searches_tonight
-- after: searches
UPDATE internal.searches AS s
SET    proven_after = $date
FROM   searches_tonight AS t
WHERE  t.proves_absence AND s.sweep = t.sweep AND s.snapshot_date < $date AND s.proven_after IS NULL;
