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
	"strings"
	"sync"
)

// prepare migrates the tables of a file to those of this program, and gives it the program's definitions, in one
// transaction: a build that fails is thrown away, and each commit would write a checkpoint.
func prepare(ctx context.Context, db *sql.DB, d definitionSet) error {
	return transact(ctx, db, func(ctx context.Context, t *Tx) error {
		if err := t.migrate(ctx, migrations()); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		if err := t.define(ctx, d); err != nil {
			return fmt.Errorf("define views: %w", err)
		}
		return nil
	})
}

// definitionSet is what a program gives to each file that it builds.
type definitionSet struct {
	steps     []namedSQL // views, macros and comments
	reference []Reference
}

// definitions returns what the build gives to its file.
func (b *Build) definitions() definitionSet {
	d := definitionSet{definitions(), b.Reference}
	if len(b.Comments) > 0 {
		d.steps = append(slices.Clip(d.steps), namedSQL{"the comments of the datasets", filled("migrate/comments", b.Comments)})
		for _, name := range statements("views/columns") {
			d.steps = append(d.steps, namedSQL{name, filled(name, lookedUp(b.Comments))})
		}
	}
	return d
}

// lookedUp returns the datasets that lookups alone give, with the columns that have a comment.
func lookedUp(comments []Comment) []Dataset {
	all := slices.DeleteFunc(slices.Clone(datasets[1:]), func(d Dataset) bool { return d.Searched })
	for i, d := range all {
		for _, c := range comments {
			if c.Table == d.Name && !slices.Contains(d.Kept, DatasetColumn{Name: c.Column}) {
				all[i].Columns = append(all[i].Columns, DatasetColumn{Name: c.Column})
			}
		}
	}
	return all
}

// digest returns a digest of the definitions as the program has them, and of the tables that they are made on.
func (d definitionSet) digest() string {
	h := sha256.New()
	for _, s := range d.steps {
		fmt.Fprintf(h, "%s\n%s\n", s.name, s.text)
	}
	fmt.Fprintf(h, "%s\n%q", SchemaVersion(), d.reference) // a migration changes what views and comments are made on
	return hex.EncodeToString(h.Sum(nil))
}

// define creates the views, macros and comments of a file and fills its reference tables. It leaves all as it is if this
// program's definitions made it: to make it anew would take longer than a small publish. A file that another program
// has changed since is none to build on, as its fingerprint says.
func (t *Tx) define(ctx context.Context, d definitionSet) error {
	digest := d.digest()
	var made string
	if err := t.tx.QueryRowContext(ctx, statement("migrate/defined")).Scan(&made); err != nil || made == digest {
		return unwrapped(err)
	}
	for _, s := range d.steps {
		if err := t.exec(ctx, s.name, s.text); err != nil {
			return err
		}
	}
	for _, r := range d.reference {
		if err := r.fill(ctx, t.tx); err != nil {
			return fmt.Errorf("fill %s: %w", r.Table, unwrapped(err))
		}
	}
	if _, err := t.tx.ExecContext(ctx, statement("migrate/forget_defined")); err != nil {
		return unwrapped(err)
	}
	_, err := t.tx.ExecContext(ctx, statement("migrate/record"), "definitions", digest)
	return unwrapped(err)
}

// Comment says what a column of a table means. The dictionary has it.
type Comment struct{ Table, Column, Text string }

// Quoted is the text as SQL.
func (c Comment) Quoted() string { return quote(c.Text) }

// definitions lists the statements of sql/views, the views that read others after these. All are
// templates; those of comments/datasets are filled for each dataset.
var definitions = sync.OnceValue(func() (all []namedSQL) {
	for _, name := range slices.Concat(statements("views"), statements("views/ready"), statements("views/comments")) {
		all = append(all, namedSQL{name: name, text: filled(name, nil)})
	}
	for _, name := range statements("views/comments/datasets") {
		for _, d := range datasets {
			all = append(all, namedSQL{name: name + " of " + d.Name, text: filled(name, d)})
		}
	}
	return all
})

// ErrOtherProgram says that no migrations of this program made the tables of a file: an older
// program made them, or a different one.
var ErrOtherProgram = errors.New("an older or a different version of fleetlake made this warehouse: `fleetlake rebuild` builds it again from the journal, with 0 requests")

// ErrNewerProgram says that a file has tables that only a later program knows.
var ErrNewerProgram = errors.New("a newer version of fleetlake made this warehouse: run that one, or let `fleetlake rebuild` of this one build it again from the journal, with 0 requests")

// migrate applies the migrations that a file lacks. It refuses a file that is newer than the program, or that other
// migrations made: the published one stays as it is.
func (t *Tx) migrate(ctx context.Context, steps fs.FS) error {
	var has bool
	if err := t.tx.QueryRowContext(ctx, statement("migrate/has_steps")).Scan(&has); err != nil {
		return unwrapped(err)
	}
	if !has {
		if err := t.exec(ctx, "steps", statement("migrate/steps")); err != nil {
			return err
		}
	}
	done, err := applied(ctx, t.tx)
	if err != nil {
		return err
	}
	missing, err := stepsAfter(done, steps)
	if err != nil {
		return err
	}
	for _, m := range missing {
		if err := t.exec(ctx, m.name, m.text); err != nil {
			return err
		}
		if _, err := t.tx.ExecContext(ctx, statement("migrate/record"), m.name, m.checksum); err != nil {
			return fmt.Errorf("%s: %w", m.name, unwrapped(err))
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
	_, err := w.missingSteps(ctx)
	return err
}

// CheckCurrent returns ErrOlder if the file lacks tables, columns or views of this program, because an older one made
// it, and the errors of CheckProgram.
func (w *Warehouse) CheckCurrent(ctx context.Context) error {
	missing, err := w.missingSteps(ctx)
	if err == nil && len(missing) > 0 {
		return ErrOlder
	}
	return err
}

// missingSteps returns the migrations that the file lacks. Its errors are those of CheckProgram.
func (w *Warehouse) missingSteps(ctx context.Context) (missing []migration, err error) {
	var has bool
	if err := w.db.QueryRowContext(ctx, statement("migrate/has_list")).Scan(&has); err != nil {
		return nil, fmt.Errorf("check %s: %w", w.path, unwrapped(err))
	}
	if !has {
		return nil, fmt.Errorf("check %s: %w", w.path, ErrOtherProgram)
	}
	done, err := applied(ctx, w.db)
	if err == nil {
		missing, err = stepsAfter(done, migrations())
	}
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", w.path, err)
	}
	return missing, nil
}

// applied returns the checksums of the migrations that were applied to a file.
func applied(ctx context.Context, db querier) (map[string]string, error) {
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

// migrations returns the migrations of this program.
func migrations() fs.FS {
	sub, err := fs.Sub(files, path.Join("sql", "migrations"))
	if err != nil {
		panic(err) // a bug, not an error
	}
	return sub
}

// SchemaVersion is the number of the newest migration: of the tables that this program gives to a file.
func SchemaVersion() string {
	names := statements("migrations")
	number, _, _ := strings.Cut(path.Base(names[len(names)-1]), "_")
	return number
}
