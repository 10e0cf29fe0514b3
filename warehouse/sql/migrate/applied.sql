-- applied: the migrations that were applied to the file.
SELECT name, checksum FROM internal.schema_migrations WHERE name <> 'definitions';
