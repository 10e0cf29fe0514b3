-- episodes_open: a new stay of the vessel, the first or after an absence.
-- reads: episodes_same, sighted
-- adds to: episodes
-- needs: sighted
-- after: episodes_continue
INSERT INTO episodes (vessel_id, vessel_number, navigational_status, world_zone, laden, for_order, vessel_type, sweep, first_seen, last_seen, first_date, last_date, nights, nights_unseen, run_id, entry)
SELECT s.vessel_id, internal.number_of(s.vessel_id), s.navigational_status, s.world_zone, s.laden, s.for_order, s.vessel_type, s.sweep, s.first_seen, s.last_seen, $date, $date, 1, 0, s.run_id, s.entry
FROM   sighted AS s
ANTI JOIN episodes_same AS e ON e.vessel_id = s.vessel_id AND e.sweep = s.sweep
ORDER BY s.vessel_id, s.sweep;
