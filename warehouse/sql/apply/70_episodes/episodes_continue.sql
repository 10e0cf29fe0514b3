-- episodes_continue: the vessel is still in the same status and zone.
-- reads: episodes_same
-- changes: episodes
-- needs: episodes_same
UPDATE episodes AS e
SET    last_seen = s.last_seen, last_date = $date, nights = e.nights + 1, nights_unseen = e.nights_unseen + s.unseen
FROM   episodes_same AS s
WHERE  e.rowid = s.rid;
