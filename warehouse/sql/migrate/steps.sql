-- steps: which steps of sql/migrations a file has seen.
CREATE TABLE IF NOT EXISTS schema_migrations (name VARCHAR, checksum VARCHAR);
COMMENT ON TABLE schema_migrations IS 'The steps that made the tables of this file.';
COMMENT ON COLUMN schema_migrations.name IS 'File name of the step.';
COMMENT ON COLUMN schema_migrations.checksum IS 'SHA-256 of the step, so that a changed one is noticed.';
