-- reference: comments of the reference tables.
COMMENT ON TABLE countries IS 'Each spelling of a country that the service accepts, and the flag it stands for.';
COMMENT ON COLUMN countries.spelling IS 'As the service writes it; compared without case.';
COMMENT ON COLUMN countries.flag IS 'ISO 3166 alpha-2; null for the country Unknown.';
COMMENT ON COLUMN countries.name IS 'The one name that the other tables use.';

COMMENT ON TABLE vessel_types IS 'Each specific type that the service accepts, and what kind of thing it is.';
COMMENT ON COLUMN vessel_types.spelling IS 'As the service writes it; compared without case.';
COMMENT ON COLUMN vessel_types.name IS 'The one name that the other tables use; near-duplicates share one.';
COMMENT ON COLUMN vessel_types.category IS 'cargo, tanker, passenger, fishing, tug, offshore, service, naval, leisure, inland, aid to navigation, structure, other or unknown.';
COMMENT ON COLUMN vessel_types.is_vessel IS 'False for beacons, buoys, platforms and aircraft.';

COMMENT ON TABLE world_zones IS 'The zones that the status search divides the world into.';
COMMENT ON COLUMN world_zones.value IS 'As the other tables and the service write it.';
COMMENT ON COLUMN world_zones.name IS 'For people.';

COMMENT ON TABLE navigational_statuses IS 'The navigational statuses that can be searched for.';
COMMENT ON COLUMN navigational_statuses.value IS 'As the other tables and the service write it.';
COMMENT ON COLUMN navigational_statuses.meaning IS 'For people.';
COMMENT ON COLUMN navigational_statuses.zoned IS 'Whether a search needs a world zone; the others are worldwide.';
COMMENT ON COLUMN navigational_statuses.labels IS 'What vessel profiles call it, in lower case, separated by |.';

COMMENT ON TABLE maritime_identification_digits IS 'The flags that the first three digits of a ship''s MMSI stand for; several rows where several share them.';
COMMENT ON COLUMN maritime_identification_digits.digits IS 'Three digits, 201 to 775.';
COMMENT ON COLUMN maritime_identification_digits.flag IS 'ISO 3166 alpha-2.';
COMMENT ON COLUMN maritime_identification_digits.name IS 'Of the country or territory.';
