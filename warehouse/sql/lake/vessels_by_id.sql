-- vessels_by_id: the view vessels, row for row, in the order of vessel_id. Only the ids are sorted.
SELECT r.vessel_id, r.imo, r.mmsi, r.name, r.callsign, r.flag, r.country, r.vessel_type, r.category, r.is_vessel,
       p.length_m, p.beam_m, p.deadweight_t, p.gross_tonnage, p.net_tonnage, p.teu, p.year_built,
       m.manager, m.registered_owner, m.class_society,
       s.navigational_status, s.navigational_status_at, s.world_zone,
       s.latitude, s.longitude, s.speed_kn, s.course_deg, s.destination, s.eta, s.position_at,
       l.vessel_id IS NOT NULL AS listed,
       coalesce(r.known_since, r.first_seen) AS first_seen,
       greatest(r.last_seen, p.last_seen, e.last_seen, m.last_seen, s.position_seen_at, s.sighting_seen_at) AS last_seen,
       r.last_seen AS registration_seen_at, p.last_seen AS particulars_seen_at, e.last_seen AS engine_seen_at, m.last_seen AS management_seen_at,
       s.position_seen_at, s.sighting_seen_at, r.run_id
FROM   (SELECT vessel_id FROM registration WHERE valid_to IS NULL ORDER BY vessel_id) AS o
JOIN   registration AS r ON r.vessel_id = o.vessel_id AND r.valid_to IS NULL
LEFT JOIN particulars AS p ON p.vessel_id = r.vessel_id AND p.valid_to IS NULL
LEFT JOIN engine AS e ON e.vessel_id = r.vessel_id AND e.valid_to IS NULL
LEFT JOIN management AS m ON m.vessel_id = r.vessel_id AND m.valid_to IS NULL
LEFT JOIN latest AS s ON s.vessel_id = r.vessel_id
LEFT JOIN listed AS l ON l.vessel_id = r.vessel_id AND l.to_date IS NULL
ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS a ON a.alias_id = r.vessel_id;
