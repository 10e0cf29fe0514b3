-- applied: the migrations that were applied to the file.
SELECT name, checksum FROM schema_migrations WHERE name <> 'definitions';
