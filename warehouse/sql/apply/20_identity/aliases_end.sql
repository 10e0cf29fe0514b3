-- aliases_end: an MMSI that no vessel with an IMO number holds any more is seen again: it was
-- passed on to another vessel, and its alias ends.
UPDATE vessel_aliases AS a
SET    until = l.seen_at
FROM   (SELECT vessel_id, min(seen_at) AS seen_at FROM lake_identities WHERE imo IS NULL GROUP BY vessel_id) AS l
WHERE  a.alias_id = l.vessel_id AND a.until IS NULL
  AND  a.alias_id NOT IN (SELECT mmsi_id FROM mmsi_holder);
