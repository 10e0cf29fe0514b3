package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/google/go-cmp/cmp"
)

// TestABuildRecreatesViewsAndComments checks that a file has the views, macros and comments of
// the program that built it last, whatever they were before.
func TestABuildRecreatesViewsAndComments(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	want, err := opened(t, dir).Dictionary(t.Context())
	must(t, err)

	must(t, update(t, dir, 21, "UPDATE internal.schema_migrations SET checksum = 'of another program' WHERE name = 'definitions'", "DROP VIEW credits_daily", "CREATE OR REPLACE VIEW mmsi_claims AS SELECT 1 AS one",
		"CREATE OR REPLACE MACRO internal.number_of(vessel) AS 7", "COMMENT ON COLUMN engine.vessel_id IS 'of an older program'"))
	if got, err := opened(t, dir).Dictionary(t.Context()); err != nil || cmp.Equal(want, got) {
		t.Fatalf("the file was to differ: %v", err)
	}

	must(t, update(t, dir, 22, "INSERT INTO engine (vessel_id, valid_from, vessel_number) VALUES ('IMO9811000', '2026-11-22', internal.number_of('IMO9811000'))"))
	w := opened(t, dir)
	got, err := w.Dictionary(t.Context())
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var number int
	must(t, w.db.QueryRowContext(t.Context(), "SELECT vessel_number FROM engine").Scan(&number))
	if number != 9811000 {
		t.Errorf("number_of gave %d", number)
	}
}

// TestABuildKeepsTheDefinitionsOfItsOwnProgram checks that views, macros and comments are made only if
// the file does not have the program's: when it is new, and when a different program's are in it. One that was changed
// by hand is no file to build on.
func TestABuildKeepsTheDefinitionsOfItsOwnProgram(t *testing.T) {
	const marker = "COMMENT ON MACRO internal.number_of IS 'kept'"
	for name, c := range map[string]struct {
		change string
		kept   bool
	}{
		"the same program":               {change: "SELECT 1", kept: true},
		"a different program":            {change: "UPDATE internal.schema_migrations SET checksum = 'of another program' WHERE name = 'definitions'"},
		"a program that records nothing": {change: "DELETE FROM internal.schema_migrations WHERE name = 'definitions'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, update(t, dir, 20))
			must(t, update(t, dir, 21, marker, c.change))
			must(t, update(t, dir, 22))
			var comment string
			w := opened(t, dir)
			must(t, w.db.QueryRowContext(t.Context(), "SELECT comment FROM system.main.duckdb_functions() WHERE function_name = 'number_of'").Scan(&comment))
			if (comment == "kept") != c.kept {
				t.Errorf("the comment of the macro is %q", comment)
			}
			var records int
			must(t, w.db.QueryRowContext(t.Context(), "SELECT count(*) FROM internal.schema_migrations WHERE name = 'definitions'").Scan(&records))
			if records != 1 {
				t.Errorf("%d records of the definitions", records)
			}
		})
	}
}

// TestAFileOfAnOlderProgramIsRefused checks that a build on a file whose tables other migrations made
// names the remedy, and leaves the published file as it was.
func TestAFileOfAnOlderProgramIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "UPDATE internal.schema_migrations SET name = '0001_reference.sql'"))
	if err := update(t, dir, 21); !errors.Is(err, ErrOtherProgram) {
		t.Errorf("got %v, want %v", err, ErrOtherProgram)
	}
	if published, err := opened(t, dir).Published(t.Context()); err != nil || len(published) != 1 {
		t.Errorf("published: %v, %v", published, err)
	}
}

// TestAFileOfAnOlderProgramGetsTheOperations: they are in the file before the first night is applied to it, also if a
// program published it that knew no such table.
func TestAFileOfAnOlderProgramGetsTheOperations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, update(t, dir, 20, "DROP TABLE operations", "DROP TABLE operation_datasets",
		"DELETE FROM internal.schema_migrations WHERE name IN ('0032_operations.sql', 'definitions')"))
	old := opened(t, dir)
	must(t, old.CheckProgram(t.Context()))
	if err := old.CheckCurrent(t.Context()); !errors.Is(err, ErrOlder) {
		t.Errorf("the old file: %v, want %v", err, ErrOlder)
	}
	if _, err := old.Ledger(t.Context(), time.Time{}); !errors.Is(err, ErrOlder) {
		t.Errorf("the ledger of the old file: %v, want %v", err, ErrOlder)
	}
	if _, err := old.Refused(t.Context(), time.Now(), []string{"info"}); err != nil {
		t.Error(err) // the plan of the first night reads the old file
	}
	var seen int
	b := Build{Dir: dir, RunID: runAt(21).ID, From: Path(dir), Comments: comments()}
	for _, r := range transform.ReferenceTables() {
		b.Reference = append(b.Reference, Reference{Table: r.Name, Columns: r.Columns, Rows: r.Rows})
	}
	b.Steps = append(b.Steps, func(ctx context.Context, tx *Tx) error {
		return tx.tx.QueryRowContext(ctx, "SELECT count(*) FROM operation_datasets JOIN operations USING (operation)").Scan(&seen)
	})
	must(t, Update(t.Context(), b))
	if seen != 10 {
		t.Errorf("the step of a night finds %d datasets of operations, want 10", seen)
	}
}

// TestMigrationsKeepTheRows gives a file of the first tables, with changes of vessels of both kinds, those of this
// program.
func TestMigrationsKeepTheRows(t *testing.T) {
	db, err := open(t.Context(), filepath.Join(t.TempDir(), "old.duckdb"))
	must(t, err)
	defer db.Close()
	first, err := fs.ReadFile(migrations(), "0001_tables.sql")
	must(t, err)
	must(t, migrated(t.Context(), db, fstest.MapFS{"0001_tables.sql": {Data: first}}))
	_, err = db.ExecContext(t.Context(), "INSERT INTO internal.vessel_changes (vessel_id, field, entry) VALUES ('IMO9811000', 'flag', 1), ('MMSI004123456', 'name', 2)")
	must(t, err)
	must(t, migrated(t.Context(), db, migrations()))
	var got string
	must(t, db.QueryRowContext(t.Context(), "SELECT string_agg(vessel_key || ' ' || field || ' ' || entry, ', ' ORDER BY entry) FROM internal.vessel_changes").Scan(&got))
	if want := "9811000 flag 1, -4123456 name 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// migrated applies the migrations that a file lacks.
func migrated(ctx context.Context, db *sql.DB, steps fs.FS) error {
	return transact(ctx, db, func(ctx context.Context, t *Tx) error { return t.migrate(ctx, steps) })
}
