-- An MMSI that is given again is the number of several vessels, and each has a key of its own.
ALTER TABLE internal.vessel_changes ALTER COLUMN vessel_key TYPE BIGINT;
ALTER TABLE internal.arrivals ALTER COLUMN vessel_key TYPE BIGINT;
ALTER TABLE internal.departures ALTER COLUMN vessel_key TYPE BIGINT;
