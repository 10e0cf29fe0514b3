-- latest_stays: store the stays that are kept.
-- reads: stays_departed
-- adds to: internal.latest_stays
-- needs: stays_departed
-- after: latest_stays_clear
INSERT INTO internal.latest_stays BY NAME
SELECT vessel_id, known_as, search, navigational_status, world_zone, first_seen, last_seen, first_date, last_date, over
FROM   stays_departed
WHERE  kept
ORDER BY vessel_id, first_seen, search;
