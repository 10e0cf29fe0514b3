-- forget_defined: remove the digest of the definitions that others replace.
DELETE FROM internal.schema_migrations WHERE name = 'definitions';
