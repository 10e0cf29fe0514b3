-- steps: the schema of what only this program reads, and in it the table of the migrations that were
-- applied to the file.
CREATE SCHEMA internal;
CREATE TABLE internal.schema_migrations (name VARCHAR, checksum VARCHAR);
COMMENT ON TABLE internal.schema_migrations IS 'The migrations that made the tables of this file, its views, macros and comments, and its reference tables.';
COMMENT ON COLUMN internal.schema_migrations.name IS 'File name of the migration; definitions for all that is no migration.';
COMMENT ON COLUMN internal.schema_migrations.checksum IS 'SHA-256 of the migration, so that a changed one is noticed; of definitions, a digest of those of the program, with the rows of its reference tables.';
