-- defined: the digest of the views, macros and comments that a build made last.
SELECT coalesce(max(checksum), '') FROM internal.schema_migrations WHERE name = 'definitions';
