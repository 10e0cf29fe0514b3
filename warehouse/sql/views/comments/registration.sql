-- registration: comments of the table registration.
COMMENT ON TABLE registration IS 'Who a vessel is and under which flag: one row per version. A column without a value in an answer keeps its value.';
COMMENT ON COLUMN registration.imo IS 'IMO number; null if none was reported.';
COMMENT ON COLUMN registration.mmsi IS 'The MMSI in use: nine digits, leading zeros count.';
COMMENT ON COLUMN registration.name IS 'In upper case, as AIS writes it.';
COMMENT ON COLUMN registration.callsign IS 'Radio call sign.';
COMMENT ON COLUMN registration.flag IS 'ISO 3166 alpha-2; see countries.';
COMMENT ON COLUMN registration.country IS 'The country of the flag, in the one spelling of countries.name.';
COMMENT ON COLUMN registration.country_iso IS 'The code that the service gives; known to be wrong at times, so it opens no version.';
COMMENT ON COLUMN registration.ship_type IS 'Broad category, as the service gives it.';
COMMENT ON COLUMN registration.vessel_type IS 'Specific type, in the one spelling of vessel_types.name.';
COMMENT ON COLUMN registration.category IS 'Of the specific type; see vessel_types.';
COMMENT ON COLUMN registration.is_vessel IS 'False for beacons, buoys, platforms and aircraft.';
COMMENT ON COLUMN registration.source IS 'The lake table of the evidence: listings, particulars, or sightings for a vessel that neither of them has reported.';
COMMENT ON COLUMN registration.known_since IS 'First observation of the vessel in any of its versions, including those while it was known by its MMSI alone. UTC.';
