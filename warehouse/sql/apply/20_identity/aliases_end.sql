-- aliases_end: an alias ends when its MMSI is seen again and belongs to no vessel with an IMO number
-- any more: the number was given to another vessel.
-- reads: lake_identities, mmsi_holder
-- changes: vessel_aliases
-- needs: lake_identities
UPDATE vessel_aliases AS a
SET    until = l.seen_at
FROM   (SELECT vessel_id, min(seen_at) AS seen_at FROM lake_identities WHERE imo IS NULL GROUP BY vessel_id) AS l
WHERE  a.alias_id = l.vessel_id AND a.until IS NULL
  AND  a.alias_id NOT IN (SELECT mmsi_id FROM mmsi_holder);
