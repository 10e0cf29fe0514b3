package pipeline

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/google/go-cmp/cmp"
)

// publishedRuns returns the runs of the published file, as indices of the segments.
func publishedRuns(t *testing.T, p *Pipeline) []int {
	t.Helper()
	known, err := p.published(t.Context())
	must(t, err)
	paths, err := journal.Segments(p.journal())
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
	p := copyOfWeek(t)
	want := hashes(t, p.Dir)
	done, err := p.Rollback(t.Context())
	must(t, err)
	last := journal.RunOf(segmentOf(t, p, 9))
	if !slices.Equal(done.Removed, []string{last}) || done.LatestRun != journal.RunOf(segmentOf(t, p, 8)) {
		t.Errorf("got %+v", done)
	}
	for range 2 { // a start, and the next one
		reports, err := p.Recover(t.Context())
		must(t, err)
		if got := publishedRuns(t, p); len(reports) > 0 || !slices.Equal(got, upTo(9)) {
			t.Errorf("after a start the runs %v are published", got)
		}
	}
	if _, err := p.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := publishedRuns(t, p); !slices.Equal(got, upTo(8)) {
		t.Errorf("after the second rollback the runs %v are published", got)
	}
	back, err := p.UndoRollback(t.Context())
	must(t, err)
	if len(back) != 2 {
		t.Errorf("published again %v", back)
	}
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-before +after):\n%s", diff)
	}
	if back, err = p.UndoRollback(t.Context()); err != nil || len(back) > 0 {
		t.Errorf("nothing is left to undo: got %v, %v", back, err)
	}
}

func TestNoRunResumesOneThatWasRolledBack(t *testing.T) {
	p := copyOfWeek(t)
	for range 2 { // both runs of the last night
		_, err := p.Rollback(t.Context())
		must(t, err)
	}
	n, err := p.night(t.Context(), "nightly", "2026-11-25")
	must(t, err)
	if len(n.runs) > 0 || len(n.answered) > 0 {
		t.Errorf("resumes %v with %d answers", n.runs, len(n.answered))
	}
	sum := 0
	for _, i := range []int{8, 9} {
		s := readSegment(segmentOf(t, p, i))
		for _, lane := range s.lanes {
			sum += lane.Credits
		}
	}
	for name, since := range map[string]time.Time{"the day": weekStart.AddDate(0, 0, 5), "the month": weekStart.AddDate(0, 0, -19)} {
		if got, err := p.spentUnpublished(t.Context(), since); err != nil || got != sum || sum == 0 {
			t.Errorf("%d credits of %s were spent by runs that were rolled back, want %d: %v", got, name, sum, err)
		}
	}
	if got, err := p.spentUnpublished(t.Context(), weekStart.AddDate(0, 0, 6)); err != nil || got != 0 {
		t.Errorf("%d credits after it all, want 0: %v", got, err)
	}
}

func TestNothingIsBuiltOnAVersionThatWasRolledBack(t *testing.T) {
	p := copyOfWeek(t)
	p.fill()
	for range 3 { // the night of the 25th, which are two runs, and that of the 24th
		_, err := p.Rollback(t.Context())
		must(t, err)
	}
	out := journal.RunOf(segmentOf(t, p, 7))
	must(t, os.WriteFile(filepath.Join(p.Dir, "warehouse", "rolled_back"), []byte(out+"\n"), 0o644))
	// The latest kept file from before the 25th is now one with the 24th.
	for _, i := range []int{8, 9} {
		_, err := p.derive(t.Context(), segmentOf(t, p, i))
		must(t, err)
	}
	if got := publishedRuns(t, p); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 8, 9}) {
		t.Errorf("published are the runs %v, want all but 7", got)
	}
}

func TestRebuildBringsBackWhatWasRolledBack(t *testing.T) {
	p := copyOfWeek(t)
	want := hashes(t, p.Dir)
	rolled, err := p.Rollback(t.Context())
	must(t, err)
	done, err := p.Rebuild(t.Context(), RebuildOptions{})
	must(t, err)
	if diff := cmp.Diff(rolled.Removed, done.Back); diff != "" {
		t.Errorf("published again (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
	// And the rebuild can itself be rolled back.
	back, err := p.Rollback(t.Context())
	must(t, err)
	if !slices.Equal(back.Removed, rolled.Removed) || !slices.Equal(publishedRuns(t, p), upTo(9)) {
		t.Errorf("rolling back the rebuild took out %v, and left %v", back.Removed, publishedRuns(t, p))
	}
	if _, err := p.Rollback(t.Context()); !errors.Is(err, warehouse.ErrNoVersion) {
		t.Errorf("got %v, want %v", err, warehouse.ErrNoVersion)
	}
}

func TestARollbackFromADamagedFileGivesNoRunUp(t *testing.T) {
	p := copyOfWeek(t)
	want := hashes(t, p.Dir)
	b, err := os.ReadFile(warehouse.Path(p.Dir))
	must(t, err)
	must(t, os.Remove(warehouse.Path(p.Dir)))
	must(t, os.WriteFile(warehouse.Path(p.Dir), slices.Concat(b[:100], make([]byte, 20_000), b[20_100:]), 0o644))
	done, err := p.Rollback(t.Context())
	must(t, err)
	if len(done.Removed) > 0 {
		t.Errorf("took out %v", done.Removed)
	}
	_, err = p.Recover(t.Context())
	must(t, err)
	if diff := cmp.Diff(want, hashes(t, p.Dir)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}

// TestACrashInARollbackIsNone leaves the files that a rollback writes first.
func TestACrashInARollbackIsNone(t *testing.T) {
	p := copyOfWeek(t)
	run := journal.RunOf(segmentOf(t, p, 9))
	must(t, os.WriteFile(filepath.Join(p.Dir, "warehouse", "rolled_back"), []byte("# half done\n"+run+"\n"), 0o644))
	out, err := p.rolledBack(t.Context())
	must(t, err)
	if len(out) > 0 {
		t.Errorf("counts as rolled back: %v", slices.Collect(maps.Keys(out)))
	}
	if wrong := verified(t, p); len(wrong) > 0 {
		t.Errorf("verify: %v", wrong)
	}
}
