-- vessels: the current state of each vessel. It is a view, because a table would be a copy of every
-- open version that each night rewrites: a third of the time of a load and half of the file. Every
-- vessel has a registration, if only from a sighting.
--
-- rows is what the view selects, from the open registrations as r. The lake's file of vessels selects the
-- same from the registrations in the order of vessel_id.
{{- define "rows"}}
SELECT {{template "vessel_columns" ""}}
FROM   {{.}}
LEFT JOIN particulars AS p ON p.vessel_id = r.vessel_id AND p.valid_to IS NULL
LEFT JOIN engine AS e ON e.vessel_id = r.vessel_id AND e.valid_to IS NULL
LEFT JOIN management AS m ON m.vessel_id = r.vessel_id AND m.valid_to IS NULL
LEFT JOIN voyages AS v ON v.vessel_id = r.vessel_id AND v.valid_to IS NULL
LEFT JOIN internal.latest AS s ON s.vessel_id = r.vessel_id
LEFT JOIN listed AS l ON l.vessel_id = r.vessel_id AND l.to_date IS NULL
ANTI JOIN (SELECT alias_id FROM vessel_aliases WHERE until IS NULL) AS a ON a.alias_id = r.vessel_id
WHERE  r.valid_to IS NULL
{{- end}}
CREATE OR REPLACE VIEW vessels AS
{{- template "rows" "registration AS r"}};
COMMENT ON VIEW vessels IS 'One row per vessel, with its latest known values. Ids that became aliases of another vessel are not in it: see vessel_aliases. The lake''s table of the same name has a row per vessel and night.';
COMMENT ON COLUMN vessels.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel without a known IMO number: the one by which it was first known. The second vessel of an MMSI that was given again has .2 after it.';
COMMENT ON COLUMN vessels.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN vessels.mmsi IS 'The MMSI in use: nine digits, leading zeros count.';
COMMENT ON COLUMN vessels.name IS 'In upper case, as AIS writes it.';
COMMENT ON COLUMN vessels.callsign IS 'Radio call sign.';
COMMENT ON COLUMN vessels.flag IS 'ISO 3166 alpha-2; see flags.';
COMMENT ON COLUMN vessels.country IS 'The country of the flag, in the one spelling of flags.name; one that is in no list as the service writes it.';
COMMENT ON COLUMN vessels.register IS 'The register of ships: that of the flag, under the name in flags, or one of several that the state of the flag has, such as NIS and Madeira; see registers. Null for the country Unknown.';
COMMENT ON COLUMN vessels.vessel_type IS 'Specific type, in the one spelling of types.vessel_type; one that is in no list as the service writes it.';
COMMENT ON COLUMN vessels.category IS 'Of the specific type; see types.category. It is never null: unknown is the one word for a vessel without a type or with one that says nothing.';
COMMENT ON COLUMN vessels.is_vessel IS 'False for beacons, buoys, platforms and aircraft: a count of ships filters by it. It is never null: where the category is unknown, an MMSI that is not assigned to ships (of coast stations, aircraft, handheld radios, emergency transmitters, aids to navigation) makes it false, unless there is an IMO number; all else counts as a vessel.';
COMMENT ON COLUMN vessels.length_m IS 'Metres.';
COMMENT ON COLUMN vessels.beam_m IS 'Metres.';
COMMENT ON COLUMN vessels.deadweight_t IS 'Tonnes.';
COMMENT ON COLUMN vessels.gross_tonnage IS 'Gross tonnage.';
COMMENT ON COLUMN vessels.net_tonnage IS 'Net tonnage.';
COMMENT ON COLUMN vessels.teu IS 'Containers of twenty feet.';
COMMENT ON COLUMN vessels.year_built IS 'Year.';
COMMENT ON COLUMN vessels.manager IS 'Company that manages the vessel.';
COMMENT ON COLUMN vessels.registered_owner IS 'Company that owns the vessel.';
COMMENT ON COLUMN vessels.class_society IS 'Classification society.';
COMMENT ON COLUMN vessels.navigational_status IS 'The latest known, from a status search or a lookup; see navigational_statuses. It may be of another observation than position and motion: navigational_status_at and position_at say of which.';
COMMENT ON COLUMN vessels.navigational_status_at IS 'When that status was observed: when the status search returned the vessel, or when the position in the answer of the lookup was received; null if the service did not say.';
COMMENT ON COLUMN vessels.world_zone IS 'Where a status search last returned it; null if that search was worldwide.';
COMMENT ON COLUMN vessels.laden IS 'ballast (0 to 49 percent), partial (50 to 75) or laden, if a status search by load has ever returned it: see laden_at.';
COMMENT ON COLUMN vessels.laden_at IS 'When such a search last returned it; null if none did.';
COMMENT ON COLUMN vessels.for_order IS 'Whether it sails for orders, if a status search by that has ever returned it: see for_order_at.';
COMMENT ON COLUMN vessels.for_order_at IS 'When such a search last returned it; null if none did.';
COMMENT ON COLUMN vessels.latitude IS 'Of the latest position. Degrees, north positive.';
COMMENT ON COLUMN vessels.longitude IS 'Of the latest position. Degrees, east positive.';
COMMENT ON COLUMN vessels.speed_kn IS 'Knots, in the same answer as the position: as of position_at, and not of navigational_status_at.';
COMMENT ON COLUMN vessels.course_deg IS 'Course over ground, degrees, in the same answer as the position: as of position_at.';
COMMENT ON COLUMN vessels.destination IS 'What the vessel last said, whether the answer had a position or not; see voyages and voyage_seen_at.';
COMMENT ON COLUMN vessels.eta IS 'Estimated arrival at that destination; null if she gave none with it.';
COMMENT ON COLUMN vessels.position_at IS 'When the latest position was observed, by the service; null if it does not say, or if there is none. position_seen_at is when we asked.';
COMMENT ON COLUMN vessels.locode IS 'UN/LOCODE of that destination.';
COMMENT ON COLUMN vessels.draught_m IS 'Metres, as the vessel last said.';
COMMENT ON COLUMN vessels.listed IS 'Whether the vessel is known to be on the list: its stay is open.';
COMMENT ON COLUMN vessels.first_seen IS 'First observation of any kind.';
COMMENT ON COLUMN vessels.last_seen IS 'Last observation of any kind.';
COMMENT ON COLUMN vessels.registration_seen_at IS 'When the registration was last observed.';
COMMENT ON COLUMN vessels.particulars_seen_at IS 'When particulars were last observed; null if never. Why a value of them is null, the view known_gaps says.';
COMMENT ON COLUMN vessels.engine_seen_at IS 'When the engine was last observed; null if never. See particulars_seen_at.';
COMMENT ON COLUMN vessels.management_seen_at IS 'When the management was last observed; null if never. See particulars_seen_at.';
COMMENT ON COLUMN vessels.position_seen_at IS 'When a position or the voyage was last asked for and answered; null if never.';
COMMENT ON COLUMN vessels.voyage_seen_at IS 'When a lookup last told of the voyage; null if none did. The time of each value is in voyages.';
COMMENT ON COLUMN vessels.sighting_seen_at IS 'When a status search last returned the vessel; null if never.';
COMMENT ON COLUMN vessels.run_id IS 'The run whose answer opened the registration version.';
