package warehouse

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestABuildRecreatesViewsAndComments checks that a file has the views, macros and comments of
// the program that built it last, whatever they were before.
func TestABuildRecreatesViewsAndComments(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	want, err := opened(t, dir).Dictionary(t.Context())
	must(t, err)

	must(t, update(t, dir, 21, "DROP VIEW credits_daily", "CREATE OR REPLACE VIEW vessels AS SELECT 1 AS one",
		"CREATE OR REPLACE MACRO number_of(vessel) AS 7", "COMMENT ON COLUMN engine.vessel_id IS 'of an older program'"))
	if got, err := opened(t, dir).Dictionary(t.Context()); err != nil || cmp.Equal(want, got) {
		t.Fatalf("the file was to differ: %v", err)
	}

	must(t, update(t, dir, 22, "INSERT INTO engine (vessel_id, valid_from, vessel_number) VALUES ('IMO9811000', '2026-11-22', number_of('IMO9811000'))"))
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

// TestAFileOfAnOlderProgramIsRefused checks that a build on a file whose tables other migrations made
// names the remedy, and leaves the published file as it was.
func TestAFileOfAnOlderProgramIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20, "UPDATE schema_migrations SET name = '0001_reference.sql'"))
	if err := update(t, dir, 21); !errors.Is(err, ErrOtherProgram) {
		t.Errorf("got %v, want %v", err, ErrOtherProgram)
	}
	if published, err := opened(t, dir).Published(t.Context()); err != nil || len(published) != 1 {
		t.Errorf("published: %v, %v", published, err)
	}
}
