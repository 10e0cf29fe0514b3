package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

// migrations of a test; nil is those of the program.
type migrations = fs.FS

// migrate brings a file to the tables that this program knows, one transaction a step. A
// file that is newer than the program, or that a different step has made, is refused: the
// published one stays as it is.
func migrate(ctx context.Context, db *sql.DB, steps migrations) error {
	if _, err := db.ExecContext(ctx, statement("schema_migrations")); err != nil {
		return fmt.Errorf("migrate: %w", plain(err))
	}
	done, err := applied(ctx, db)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	entries, err := fs.ReadDir(steps, ".")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, e := range entries {
		text, err := fs.ReadFile(steps, e.Name())
		if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		sum := sha256.Sum256(text)
		checksum := hex.EncodeToString(sum[:])
		was, ok := done[e.Name()]
		delete(done, e.Name())
		switch {
		case ok && was != checksum:
			return fmt.Errorf("migrate: %s was applied with another content: this file was made by a different program", e.Name())
		case ok:
			continue
		}
		if err := apply(ctx, db, e.Name(), string(text), checksum); err != nil {
			return fmt.Errorf("migrate %s: %w", e.Name(), err)
		}
	}
	for name := range done {
		return fmt.Errorf("migrate: this file has %s, which this program does not know: use the newer program that made it", name)
	}
	return nil
}

// applied returns the checksums of the steps that a file has seen.
func applied(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT name, checksum FROM schema_migrations")
	if err != nil {
		return nil, plain(err)
	}
	defer rows.Close()
	done := map[string]string{}
	for rows.Next() {
		var name, checksum string
		if err := rows.Scan(&name, &checksum); err != nil {
			return nil, plain(err)
		}
		done[name] = checksum
	}
	return done, plain(rows.Err())
}

func apply(ctx context.Context, db *sql.DB, name, text, checksum string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return plain(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return plain(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO schema_migrations VALUES ($1, $2)", name, checksum); err != nil {
		return plain(err)
	}
	return plain(tx.Commit())
}

// own returns the migrations of this program.
func own() migrations {
	sub, err := fs.Sub(files, path.Join("sql", "migrations"))
	if err != nil {
		panic(err) // a bug, not an error
	}
	return sub
}
