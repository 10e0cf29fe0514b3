-- alias_end: a vessel that was listed under an alias is listed under its new id from tonight on,
-- without a gap. It was not absent, so absent_on and missing_since stay null.
-- reads: vessel_aliases
-- changes: listed
-- needs: vessel_aliases WHERE snapshot_date = $date
UPDATE listed AS h
SET    to_date = greatest(h.last_date, $date::DATE - 1), missing_since = NULL
FROM   vessel_aliases AS a
WHERE  h.vessel_id = a.alias_id AND h.to_date IS NULL AND a.until IS NULL AND a.snapshot_date = $date;
