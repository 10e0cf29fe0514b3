-- record: record that a migration was applied.
INSERT INTO internal.schema_migrations VALUES ($1, $2);
