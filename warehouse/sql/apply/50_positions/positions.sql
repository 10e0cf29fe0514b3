-- positions: store the new positions.
INSERT INTO positions BY NAME
SELECT vessel_id, internal.number_of(vessel_id) AS vessel_number, position_at, seen_at, latitude, longitude, speed_kn, course_deg, heading_deg, draught_m, max_draught_m, navigational_status,
       destination, destination_unlocode, eta, last_port, last_port_unlocode, departed_at, data_source, operation, run_id, entry, raw, extra
FROM   positions_fresh
ORDER BY vessel_id, position_at;
