-- applied: the migrations that the file has seen.
SELECT name, checksum FROM schema_migrations;
