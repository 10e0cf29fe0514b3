-- Registers of ships beside the flags, and values that answers bring and no list of the program has.
CREATE TABLE registers (
    register VARCHAR,
    flag VARCHAR,
    name VARCHAR,
    open_registry BOOLEAN
);
ALTER TABLE registration ADD COLUMN register VARCHAR;
ALTER TABLE countries ADD COLUMN source VARCHAR;
ALTER TABLE countries ADD COLUMN since DATE;
ALTER TABLE vessel_types ADD COLUMN source VARCHAR;
ALTER TABLE vessel_types ADD COLUMN since DATE;
ALTER TABLE types ADD COLUMN source VARCHAR;
ALTER TABLE types ADD COLUMN since DATE;
ALTER TABLE internal.vessel_changes ADD COLUMN register_before VARCHAR;
ALTER TABLE internal.vessel_changes ADD COLUMN register_after VARCHAR;
