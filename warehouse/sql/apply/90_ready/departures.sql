-- departures: the departures that no later night can change any more.
-- reads: stays_departed
-- adds to: internal.departures
-- needs: stays_departed
-- after: departures_clear
INSERT INTO internal.departures BY NAME
SELECT left_on AS snapshot_date, world_zone, {{template "vessel_key" "vessel_id"}} AS vessel_key, navigational_status, to_zone, last_date AS not_before, proof, last_seen
FROM   stays_departed
WHERE  NOT kept AND left_on IS NOT NULL
ORDER BY snapshot_date, vessel_key;
