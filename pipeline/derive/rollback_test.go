package derive

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// publishedRuns returns the runs of the published file, as indices of the segments.
func publishedRuns(t *testing.T, d *Deriver) []int {
	t.Helper()
	known, err := warehouse.PublishedRuns(t.Context(), d.Dir)
	must(t, err)
	paths, err := journal.Segments(d.Journal)
	must(t, err)
	var there []int
	for i, path := range paths {
		if known[journal.RunOf(path)] {
			there = append(there, i)
		}
	}
	return there
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

func TestWhatWasRolledBackStaysOut(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	want := hashes(t, d.Dir)
	done, err := Rollback(t.Context(), *d)
	must(t, err)
	last := journal.RunOf(segmentOf(t, d, 6))
	if !slices.Equal(done.Removed, []string{last}) || done.LatestRun != journal.RunOf(segmentOf(t, d, 5)) {
		t.Errorf("got %+v", done)
	}
	for range 2 { // a start, and the next one
		reports, err := Recover(t.Context(), *d)
		must(t, err)
		if got := publishedRuns(t, d); len(reports) > 0 || !slices.Equal(got, upTo(6)) {
			t.Errorf("after a start the runs %v are published", got)
		}
	}
	if _, err := Rollback(t.Context(), *d); err != nil {
		t.Fatal(err)
	}
	if got := publishedRuns(t, d); !slices.Equal(got, upTo(5)) {
		t.Errorf("after the second rollback the runs %v are published", got)
	}
	back, err := UndoRollback(t.Context(), *d)
	must(t, err)
	if len(back) != 2 {
		t.Errorf("published again %v", back)
	}
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
	if back, err = UndoRollback(t.Context(), *d); err != nil || len(back) > 0 {
		t.Errorf("nothing is left to undo: got %v, %v", back, err)
	}
}

func TestNothingIsBuiltOnAVersionThatWasRolledBack(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	for range 3 { // the night of the 25th, which are two runs, and that of the 24th
		_, err := Rollback(t.Context(), *d)
		must(t, err)
	}
	out := journal.RunOf(segmentOf(t, d, 4))
	must(t, os.WriteFile(filepath.Join(d.Dir, "warehouse", "rolled_back"), []byte(out+"\n"), 0o644))
	// The latest kept file from before the 25th is now one with the 24th.
	for _, i := range []int{5, 6} {
		_, err := d.Derive(t.Context(), segmentOf(t, d, i))
		must(t, err)
	}
	if got := publishedRuns(t, d); !slices.Equal(got, []int{0, 1, 2, 3, 5, 6}) {
		t.Errorf("published are the runs %v, want all but 4", got)
	}
}

func TestRebuildBringsBackWhatWasRolledBack(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	want := hashes(t, d.Dir)
	rolled, err := Rollback(t.Context(), *d)
	must(t, err)
	done, err := Rebuild(t.Context(), *d, RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(rolled.Removed, done.Back); diff != "" {
		t.Errorf("published again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
	// And the rebuild can itself be rolled back.
	back, err := Rollback(t.Context(), *d)
	must(t, err)
	if !slices.Equal(back.Removed, rolled.Removed) || !slices.Equal(publishedRuns(t, d), upTo(3)) {
		t.Errorf("rolling back the rebuild took out %v, and left %v", back.Removed, publishedRuns(t, d))
	}
	if _, err := Rollback(t.Context(), *d); !errors.Is(err, warehouse.ErrNoVersion) {
		t.Errorf("got %v, want %v", err, warehouse.ErrNoVersion)
	}
}

func TestARollbackFromADamagedFileGivesNoRunUp(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	want := hashes(t, d.Dir)
	b, err := os.ReadFile(warehouse.Path(d.Dir))
	must(t, err)
	must(t, os.Remove(warehouse.Path(d.Dir)))
	must(t, os.WriteFile(warehouse.Path(d.Dir), slices.Concat(b[:100], make([]byte, 20_000), b[20_100:]), 0o644))
	done, err := Rollback(t.Context(), *d)
	must(t, err)
	if len(done.Removed) > 0 {
		t.Errorf("took out %v", done.Removed)
	}
	_, err = Recover(t.Context(), *d)
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}

// TestACrashInARollbackIsNone leaves the files that a rollback writes first.
func TestACrashInARollbackIsNone(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	run := journal.RunOf(segmentOf(t, d, 6))
	must(t, os.WriteFile(filepath.Join(d.Dir, "warehouse", "rolled_back"), []byte("# half done\n"+run+"\n"), 0o644))
	known, err := warehouse.PublishedRuns(t.Context(), d.Dir)
	must(t, err)
	out, err := warehouse.RolledBack(d.Dir, known)
	must(t, err)
	if len(out) > 0 {
		t.Errorf("counts as rolled back: %v", slices.Collect(maps.Keys(out)))
	}
	if wrong := verified(t, d); len(wrong) > 0 {
		t.Errorf("verify: %v", wrong)
	}
}

// TestAnUndoneRollbackIsCompletedAfterACrash: the marks are removed before the runs are published.
func TestAnUndoneRollbackIsCompletedAfterACrash(t *testing.T) {
	t.Parallel()
	d := copyOfTwoNights(t)
	want := hashes(t, d.Dir)
	done, err := Rollback(t.Context(), *d)
	must(t, err)
	_, err = warehouse.ForgetRolledBack(d.Dir) // and here the process is killed
	must(t, err)
	back, err := UndoRollback(t.Context(), *d)
	must(t, err)
	if !slices.Equal(back, done.Removed) {
		t.Errorf("published again %v, want %v", back, done.Removed)
	}
	if diff := cmp.Diff(want, hashes(t, d.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
}

func TestAStartRemovesUnfinishedFiles(t *testing.T) {
	t.Parallel()
	d := copyOfWeek(t)
	var left []string
	for _, name := range []string{"warehouse/.copy.duckdb", "warehouse/.rollback.duckdb", "warehouse/fingerprints.part", "warehouse/rolled_back.part", "held_back.json.part", "journal/.reserve"} {
		left = append(left, filepath.Join(d.Dir, name))
		must(t, os.WriteFile(left[len(left)-1], []byte("half"), 0o644))
	}
	_, err := Recover(t.Context(), *d)
	must(t, err)
	for _, path := range left {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}
