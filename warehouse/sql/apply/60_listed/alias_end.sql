-- alias_end: a vessel that was listed under an alias is listed under its new id from tonight on,
-- without a gap. No coverage proved it absent, so absent_on stays null.
UPDATE listed AS h
SET    to_date = greatest(h.last_date, $date::DATE - 1)
FROM   vessel_aliases AS a
WHERE  h.vessel_id = a.alias_id AND h.to_date IS NULL AND a.until IS NULL AND a.snapshot_date = $date;
