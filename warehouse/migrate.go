package warehouse

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
)

// prepare migrates the tables of a file to those of this program, and its views, macros and comments
// to the program's, those of the datasets' columns among them.
func prepare(ctx context.Context, db *sql.DB, comments []Comment) error {
	if err := migrate(ctx, db, migrations()); err != nil {
		return err
	}
	steps := definitions()
	if len(comments) > 0 {
		steps = slices.Concat(steps, []step{{name: "the comments of the datasets", text: filled("migrate/comments", comments)}})
	}
	return define(ctx, db, steps)
}

// define creates the views, macros and comments of a file, in one transaction. It leaves them as they
// are if this program's made them and nobody has changed them since: to make them anew would take half
// of the time of a small publish.
func define(ctx context.Context, db *sql.DB, steps []step) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("define views: %w", unwrapped(err))
	}
	defer tx.Rollback()
	found, err := definedAs(ctx, tx, steps)
	if err != nil {
		return fmt.Errorf("define views: %w", err)
	}
	var recorded string
	if err := tx.QueryRowContext(ctx, statement("migrate/defined")).Scan(&recorded); err != nil {
		return fmt.Errorf("define views: %w", unwrapped(err))
	}
	if recorded == found {
		return nil
	}
	for _, s := range steps {
		if _, err := tx.ExecContext(ctx, s.text); err != nil {
			return fmt.Errorf("define %s: %w", s.name, unwrapped(err))
		}
	}
	if err := recordDefinitions(ctx, tx, steps); err != nil {
		return fmt.Errorf("define views: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("define views: %w", unwrapped(err))
	}
	return nil
}

// recordDefinitions records in a file that these steps have made its definitions.
func recordDefinitions(ctx context.Context, tx *sql.Tx, steps []step) error {
	made, err := definedAs(ctx, tx, steps)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, statement("migrate/forget_defined")); err != nil {
		return unwrapped(err)
	}
	_, err = tx.ExecContext(ctx, statement("migrate/record"), "definitions", made)
	return unwrapped(err)
}

// definedAs returns what a file records if these steps have made the definitions that it has.
func definedAs(ctx context.Context, tx *sql.Tx, steps []step) (string, error) {
	h := sha256.New()
	for _, s := range steps {
		fmt.Fprintf(h, "%s\n%s\n", s.name, s.text)
	}
	var catalog string
	if err := tx.QueryRowContext(ctx, statement("migrate/catalog")).Scan(&catalog); err != nil {
		return "", unwrapped(err)
	}
	return hex.EncodeToString(h.Sum(nil)) + " " + catalog, nil
}

// Comment says what a column of a table means. The dictionary has it.
type Comment struct{ Table, Column, Text string }

// Quoted is the text as SQL.
func (c Comment) Quoted() string { return quote(c.Text) }

// definitions lists the statements of sql/views, the views that read others after these. All are
// templates; those of comments/datasets are filled for each dataset.
var definitions = sync.OnceValue(func() (all []step) {
	for _, name := range slices.Concat(statements("views"), statements("views/ready"), statements("views/comments")) {
		all = append(all, step{name: name, text: filled(name, nil)})
	}
	for _, name := range statements("views/comments/datasets") {
		for _, d := range datasets {
			all = append(all, step{name: name + " of " + d.Name, text: filled(name, d)})
		}
	}
	return all
})

// ErrOtherProgram says that no migrations of this program made the tables of a file: an older
// program made them, or a different one.
var ErrOtherProgram = errors.New("an older or a different version of fleetlake made this warehouse: `fleetlake rebuild` builds it again from the journal, with 0 requests")

// ErrNewerProgram says that a file has tables that only a later program knows.
var ErrNewerProgram = errors.New("a newer version of fleetlake made this warehouse: run that one, or let `fleetlake rebuild` of this one build it again from the journal, with 0 requests")

// migrate applies the migrations that a file lacks, one transaction each. It refuses a file that
// is newer than the program, or that other migrations made: the published one stays as it is.
func migrate(ctx context.Context, db *sql.DB, steps fs.FS) error {
	if _, err := db.ExecContext(ctx, statement("migrate/steps")); err != nil {
		return fmt.Errorf("migrate: %w", unwrapped(err))
	}
	done, err := applied(ctx, db)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	missing, err := stepsAfter(done, steps)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, m := range missing {
		if err := apply(ctx, db, m.name, m.text, m.checksum); err != nil {
			return fmt.Errorf("migrate %s: %w", m.name, err)
		}
	}
	return nil
}

// migration is a file of sql/migrations.
type migration struct{ name, text, checksum string }

// stepsAfter returns the migrations that a file lacks. The checksums of those that were applied
// to it are in done. It returns ErrOtherProgram or ErrNewerProgram if these are not ours.
func stepsAfter(done map[string]string, steps fs.FS) (missing []migration, err error) {
	entries, err := fs.ReadDir(steps, ".")
	if err != nil {
		return nil, err
	}
	if len(done) > 0 && len(entries) > 0 && done[entries[0].Name()] == "" {
		return nil, ErrOtherProgram
	}
	known := 0
	for _, e := range entries {
		text, err := fs.ReadFile(steps, e.Name())
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		m := migration{e.Name(), string(text), hex.EncodeToString(sum[:])}
		was, ok := done[m.name]
		switch {
		case !ok:
			missing = append(missing, m)
		case was != m.checksum:
			return nil, fmt.Errorf("%s was applied with another content: %w", m.name, ErrOtherProgram)
		default:
			known++
		}
	}
	if known < len(done) {
		return nil, ErrNewerProgram
	}
	return missing, nil
}

// CheckProgram returns ErrOtherProgram or ErrNewerProgram if this program cannot build on the file,
// so that a run fails before its first request, and not when it publishes.
func (w *Warehouse) CheckProgram(ctx context.Context) error {
	var has bool
	if err := w.db.QueryRowContext(ctx, statement("migrate/has_steps")).Scan(&has); err != nil {
		return fmt.Errorf("check %s: %w", w.path, unwrapped(err))
	}
	if !has {
		return fmt.Errorf("check %s: %w", w.path, ErrOtherProgram)
	}
	done, err := applied(ctx, w.db)
	if err == nil {
		_, err = stepsAfter(done, migrations())
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", w.path, err)
	}
	return nil
}

// applied returns the checksums of the migrations that were applied to a file.
func applied(ctx context.Context, db *sql.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, statement("migrate/applied"))
	if err != nil {
		return nil, unwrapped(err)
	}
	defer rows.Close()
	done := map[string]string{}
	for rows.Next() {
		var name, checksum string
		if err := rows.Scan(&name, &checksum); err != nil {
			return nil, unwrapped(err)
		}
		done[name] = checksum
	}
	return done, unwrapped(rows.Err())
}

// apply applies and records a migration in one transaction.
func apply(ctx context.Context, db *sql.DB, name, text, checksum string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return unwrapped(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, text); err != nil {
		return unwrapped(err)
	}
	if _, err := tx.ExecContext(ctx, statement("migrate/record"), name, checksum); err != nil {
		return unwrapped(err)
	}
	return unwrapped(tx.Commit())
}

// migrations returns the migrations of this program.
func migrations() fs.FS {
	sub, err := fs.Sub(files, path.Join("sql", "migrations"))
	if err != nil {
		panic(err) // a bug, not an error
	}
	return sub
}
