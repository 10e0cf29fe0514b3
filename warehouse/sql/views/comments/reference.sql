-- reference: comments of the reference tables.
COMMENT ON TABLE flags IS 'One row per flag, for joins: join it on flag.';
COMMENT ON COLUMN flags.flag IS 'ISO 3166 alpha-2.';
COMMENT ON COLUMN flags.name IS 'Of the country or territory: the one name that the other tables use.';
COMMENT ON COLUMN flags.state IS 'The flag of the state whose MMSI digits and code the ships of this territory may have; null for a state.';
COMMENT ON COLUMN flags.open_registry IS 'Whether the flag is on the list of flags of convenience of the International Transport Workers'' Federation (ITF): 48 registers, as its page itfseafarers.org/en/issues/flags-of-convenience/current-registries-listed-focs had them on 2026-09-23; the latest additions are Dominica, Gambia and Niue, of 2025. Four of these are registers without a flag of their own, so that they mark none here but in registers: the French (FIS, here RIF) and the German (GIS) international register, Madeira, and the second register of the Faroe Islands (FAS). Tanzania is marked: its ships abroad are in the register of Zanzibar that the list names. The list of today marks the flags of all years.';

COMMENT ON TABLE registers IS 'One row per register of ships, for joins: join it on register. A flag has the register of its name, and some have others.';
COMMENT ON COLUMN registers.register IS 'As the other tables have it: the name of the flag, or a short name.';
COMMENT ON COLUMN registers.flag IS 'ISO 3166 alpha-2 of the flag that its ships fly.';
COMMENT ON COLUMN registers.name IS 'The full name.';
COMMENT ON COLUMN registers.open_registry IS 'Whether the register is on the list of flags of convenience of the ITF; see flags.open_registry.';

COMMENT ON TABLE countries IS 'Each spelling of a country that the service accepts, and the flag it stands for. A flag has several rows: join flags.';
COMMENT ON COLUMN countries.spelling IS 'As the service writes it; compared without case.';
COMMENT ON COLUMN countries.flag IS 'ISO 3166 alpha-2; null for the country Unknown.';
COMMENT ON COLUMN countries.name IS 'The one name that the other tables use.';
COMMENT ON COLUMN countries.source IS 'interface text for the values of the service''s lists that the program knows, answers for one that only answers have; its flag is that of its vessels, if they have one.';
COMMENT ON COLUMN countries.since IS 'The first night whose answers had it; null for a value that the program knows.';

COMMENT ON TABLE types IS 'One row per specific type, for joins: join it on vessel_type.';
COMMENT ON COLUMN types.vessel_type IS 'The one name that the other tables use.';
COMMENT ON COLUMN types.category IS 'cargo, tanker, passenger, fishing, tug, offshore, service, naval, leisure, inland, aid to navigation, structure, other or unknown: other is a known type that is none of these, unknown is a type that says nothing, such as Unspecified.';
COMMENT ON COLUMN types.is_vessel IS 'False for beacons, buoys, platforms and aircraft.';
COMMENT ON COLUMN types.source IS 'interface text for the values of the service''s lists that the program knows, answers for one that only answers have; its category is unknown.';
COMMENT ON COLUMN types.since IS 'The first night whose answers had it; null for a value that the program knows.';

COMMENT ON TABLE vessel_types IS 'Each specific type that the service accepts, and what kind of thing it is. A type has several rows: join types.';
COMMENT ON COLUMN vessel_types.spelling IS 'As the service writes it; compared without case.';
COMMENT ON COLUMN vessel_types.name IS 'The one name that the other tables use; near-duplicates share one.';
COMMENT ON COLUMN vessel_types.category IS 'See types.category.';
COMMENT ON COLUMN vessel_types.is_vessel IS 'False for beacons, buoys, platforms and aircraft.';
COMMENT ON COLUMN vessel_types.source IS 'interface text for the values of the service''s lists that the program knows, answers for one that only answers have; its category is unknown.';
COMMENT ON COLUMN vessel_types.since IS 'The first night whose answers had it; null for a value that the program knows.';

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

COMMENT ON TABLE operations IS 'The operations of the service, with their prices and limits as its interface text has them.';
COMMENT ON COLUMN operations.operation IS 'As the other tables have it.';
COMMENT ON COLUMN operations.kind IS 'search: an answer lists several vessels; lookup: it is about one; account: it is about none, but about the credits.';
COMMENT ON COLUMN operations.credits IS 'The most that one request can cost. The price of today: requests.credits has what each one cost.';
COMMENT ON COLUMN operations.per_minute IS 'The limit of requests per minute; that of location is not documented, and is taken to be that of info.';
COMMENT ON COLUMN operations.paged IS 'Whether an answer is one page of several, and gives the number of vessels on all pages.';

COMMENT ON TABLE operation_datasets IS 'What an answer of each operation says of a vessel: one row per operation and dataset.';
COMMENT ON COLUMN operation_datasets.operation IS 'As the other tables have it.';
COMMENT ON COLUMN operation_datasets.dataset IS 'registration, sighting, particulars, engine, management or position.';
COMMENT ON COLUMN operation_datasets.lake_table IS 'The table of the lake that has the rows of the dataset.';
COMMENT ON COLUMN operation_datasets.share IS 'The part of a request''s credits that the dataset counts for; the shares of an operation add up to 1. A dataset that a lookup sells alone counts as much as it costs there, and those that none sells alone share the rest.';
