-- links_open: a vessel of her own since some nights is proved to be one that was known before: her id is an alias of
-- that one's.
-- reads: links
-- adds to: vessel_aliases
-- needs: links
-- after: aliases_open
INSERT INTO vessel_aliases (alias_id, vessel_id, since, until, snapshot_date, reason, run_id)
SELECT known_as, vessel_id, seen_at, NULL, $date, 'one vessel under two flags: the same ' || same, run_id
FROM   links
WHERE  proved AND known_as IS NOT NULL
ORDER BY known_as;
