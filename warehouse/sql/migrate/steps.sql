-- steps: the table of the migrations that were applied to the file.
CREATE TABLE IF NOT EXISTS schema_migrations (name VARCHAR, checksum VARCHAR);
COMMENT ON TABLE schema_migrations IS 'The migrations that made the tables of this file.';
COMMENT ON COLUMN schema_migrations.name IS 'File name of the migration.';
COMMENT ON COLUMN schema_migrations.checksum IS 'SHA-256 of the migration, so that a changed one is noticed.';
