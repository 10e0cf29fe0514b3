-- stays_unlisted: the list covered every value that the service accepts, and a vessel that it misses last had a
-- country or type of which a spelling is accepted no more. Whether she was under that one is not known: she can
-- be on no page, and is not gone. The stay ends without a departure, unless the other kind of the list would show her.
-- reads: listed, proof, registration, stays_missing, withdrawn
-- changes: listed
-- needs: stays_missing
-- needs: withdrawn
-- after: stays_sighted
UPDATE listed AS h
SET    to_date = greatest(h.last_date, $date::DATE - 1), missing_since = NULL, proof = u.proof
FROM (
    SELECT m.rid, any_value(w.kind || ' no longer accepted') AS proof
    FROM   stays_missing AS m
    JOIN   listed AS l ON l.rowid = m.rid
    JOIN   registration AS r ON r.vessel_id = l.vessel_id AND r.valid_to IS NULL
    JOIN   withdrawn AS w ON w.name = CASE w.kind WHEN 'country' THEN r.country ELSE r.vessel_type END
    WHERE  NOT (l.has_country AND w.kind = 'type' AND (SELECT complete FROM proof WHERE kind = 'country'))
      AND  NOT (l.has_type AND w.kind = 'country' AND (SELECT complete FROM proof WHERE kind = 'type'))
    GROUP BY m.rid
) AS u
WHERE  h.rowid = u.rid;
