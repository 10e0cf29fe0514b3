-- What vessels did, as observed: where they were, and for how long they were listed or in a status.

CREATE TABLE positions (
    vessel_id VARCHAR USING COMPRESSION fsst,
    position_at TIMESTAMP,
    seen_at TIMESTAMP,
    latitude DOUBLE,
    longitude DOUBLE,
    speed_kn DOUBLE,
    course_deg DOUBLE,
    heading_deg DOUBLE,
    draught_m DOUBLE,
    max_draught_m DOUBLE,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    destination VARCHAR,
    destination_unlocode VARCHAR,
    eta TIMESTAMP,
    last_port VARCHAR,
    last_port_unlocode VARCHAR,
    departed_at TIMESTAMP,
    data_source VARCHAR USING COMPRESSION dictionary,
    operation VARCHAR USING COMPRESSION dictionary,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking,
    raw VARCHAR,
    extra VARCHAR
);
COMMENT ON TABLE positions IS 'One row per observed position of a vessel.';
COMMENT ON COLUMN positions.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN positions.position_at IS 'When the position was observed; when the answer came, if it does not say. UTC.';
COMMENT ON COLUMN positions.seen_at IS 'When the answer came. UTC.';
COMMENT ON COLUMN positions.latitude IS 'Degrees, north positive.';
COMMENT ON COLUMN positions.longitude IS 'Degrees, east positive.';
COMMENT ON COLUMN positions.speed_kn IS 'Knots.';
COMMENT ON COLUMN positions.course_deg IS 'Course over ground, degrees.';
COMMENT ON COLUMN positions.heading_deg IS 'Degrees.';
COMMENT ON COLUMN positions.draught_m IS 'Metres.';
COMMENT ON COLUMN positions.max_draught_m IS 'Greatest draught that the service knows of, metres.';
COMMENT ON COLUMN positions.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN positions.destination IS 'As the crew entered it, cleaned.';
COMMENT ON COLUMN positions.destination_unlocode IS 'UN/LOCODE of the destination.';
COMMENT ON COLUMN positions.eta IS 'Estimated arrival. UTC.';
COMMENT ON COLUMN positions.last_port IS 'Last port.';
COMMENT ON COLUMN positions.last_port_unlocode IS 'UN/LOCODE of the last port.';
COMMENT ON COLUMN positions.departed_at IS 'Departure from the last port. UTC.';
COMMENT ON COLUMN positions.data_source IS 'Where the service has the position from.';
COMMENT ON COLUMN positions.operation IS 'The operation of the answer.';
COMMENT ON COLUMN positions.run_id IS 'The run whose answer brought it.';
COMMENT ON COLUMN positions.entry IS 'That answer in the runs journal.';
COMMENT ON COLUMN positions.raw IS 'JSON object by the APIs key: each value of that answer that a rule changed or refused, as it came.';
COMMENT ON COLUMN positions.extra IS 'JSON object: keys of that answer that no column has.';

CREATE TABLE listed (
    vessel_id VARCHAR USING COMPRESSION fsst,
    from_date DATE,
    to_date DATE,
    last_date DATE,
    absent_on DATE,
    run_id VARCHAR USING COMPRESSION dictionary
);
COMMENT ON TABLE listed IS 'One row per unbroken stay of a vessel on the list. A stay ends only where coverage proves absence: a vessel that was not observed is not gone.';
COMMENT ON COLUMN listed.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN listed.from_date IS 'The first night of the stay.';
COMMENT ON COLUMN listed.to_date IS 'The last night of the stay; null while it is open.';
COMMENT ON COLUMN listed.last_date IS 'The last night on which the vessel was seen on the list.';
COMMENT ON COLUMN listed.absent_on IS 'The night whose coverage proved that the vessel had left; null while the stay is open, and where it ended because the vessel was found to be another one.';
COMMENT ON COLUMN listed.run_id IS 'The run that opened the stay.';

CREATE TABLE episodes (
    vessel_id VARCHAR USING COMPRESSION fsst,
    navigational_status VARCHAR USING COMPRESSION dictionary,
    world_zone VARCHAR USING COMPRESSION dictionary,
    laden VARCHAR,
    for_order BOOLEAN,
    vessel_type VARCHAR,
    sweep VARCHAR USING COMPRESSION dictionary,
    first_seen TIMESTAMP USING COMPRESSION bitpacking,
    last_seen TIMESTAMP USING COMPRESSION bitpacking,
    first_date DATE,
    last_date DATE,
    nights INTEGER,
    run_id VARCHAR USING COMPRESSION dictionary,
    entry INTEGER USING COMPRESSION bitpacking
);
COMMENT ON TABLE episodes IS 'One row per unbroken stay of a vessel in a navigational status and zone, as the searches showed it.';
COMMENT ON COLUMN episodes.vessel_id IS 'IMO followed by the IMO number, or MMSI followed by the MMSI for a vessel that has shown no IMO number.';
COMMENT ON COLUMN episodes.navigational_status IS 'See navigational_statuses.';
COMMENT ON COLUMN episodes.world_zone IS 'See world_zones; null for the statuses that are searched for worldwide.';
COMMENT ON COLUMN episodes.laden IS 'The filter of the search: ballast, partial or laden; null if it had none.';
COMMENT ON COLUMN episodes.for_order IS 'The filter of the search: whether it asked for vessels that sail for orders; null if it had none.';
COMMENT ON COLUMN episodes.vessel_type IS 'The filter of the search, in its own vocabulary; null if it had none.';
COMMENT ON COLUMN episodes.sweep IS 'The search as coverage.value names it.';
COMMENT ON COLUMN episodes.first_seen IS 'First sighting of the stay. UTC.';
COMMENT ON COLUMN episodes.last_seen IS 'Last sighting of the stay. UTC.';
COMMENT ON COLUMN episodes.first_date IS 'The first night of the stay.';
COMMENT ON COLUMN episodes.last_date IS 'The last night on which the vessel was seen there.';
COMMENT ON COLUMN episodes.nights IS 'Nights on which the vessel was seen there.';
COMMENT ON COLUMN episodes.run_id IS 'The run that opened the stay.';
COMMENT ON COLUMN episodes.entry IS 'That answer in the runs journal.';
