-- steps: the table of the migrations that were applied to the file.
CREATE TABLE IF NOT EXISTS schema_migrations (name VARCHAR, checksum VARCHAR);
COMMENT ON TABLE schema_migrations IS 'The migrations that made the tables of this file, and its views, macros and comments.';
COMMENT ON COLUMN schema_migrations.name IS 'File name of the migration; definitions for the views, macros and comments.';
COMMENT ON COLUMN schema_migrations.checksum IS 'SHA-256 of the migration, so that a changed one is noticed; of definitions, a digest of those of the program and one of those in the file.';
