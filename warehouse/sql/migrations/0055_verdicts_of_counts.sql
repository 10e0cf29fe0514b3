-- The verdict of the night beside its counts.
ALTER TABLE fleet_daily ADD COLUMN verdict VARCHAR USING COMPRESSION dictionary;
ALTER TABLE zone_daily ADD COLUMN verdict VARCHAR USING COMPRESSION dictionary;
