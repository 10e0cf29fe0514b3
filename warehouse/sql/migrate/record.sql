-- record: record that a migration was applied.
INSERT INTO schema_migrations VALUES ($1, $2);
