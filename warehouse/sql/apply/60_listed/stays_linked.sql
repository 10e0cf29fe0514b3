-- stays_linked: a vessel that tonight proves to be one that was known before has not left the list: her stay goes on.
-- reads: links, listed
-- changes: listed
-- needs: links WHERE proved
-- after: alias_end
UPDATE listed AS h
SET    to_date = NULL, absent_on = NULL, proof = NULL, missing_since = NULL, last_date = greatest(h.last_date, k.listed_on)
FROM   (SELECT l.vessel_id, max(n.last_date) AS listed_on FROM links AS l LEFT JOIN listed AS n ON n.vessel_id = l.known_as WHERE l.proved GROUP BY l.vessel_id) AS k
WHERE  h.vessel_id = k.vessel_id
  AND  h.from_date = (SELECT max(o.from_date) FROM listed AS o WHERE o.vessel_id = h.vessel_id);
