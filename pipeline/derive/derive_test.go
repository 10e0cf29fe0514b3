package derive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/extract/journal"
	"github.com/fleetlake/fleetlake/load"
	"github.com/google/go-cmp/cmp"
)

// TestTheListOfHeldBackRuns follows the file over several publishes.
func TestTheListOfHeldBackRuns(t *testing.T) {
	dir := t.TempDir()
	first, second := HeldBackRun{Run: "1", Reason: "a"}, HeldBackRun{Run: "2", Reason: "b"}
	for _, step := range []struct {
		does      string
		more      []HeldBackRun
		published map[string]bool
		want      []HeldBackRun
	}{
		{"nothing was ever held back", nil, nil, nil},
		{"two runs, the newer first", []HeldBackRun{second, first}, nil, []HeldBackRun{first, second}},
		{"one again, for another reason", []HeldBackRun{{Run: "1", Reason: "c"}}, nil, []HeldBackRun{{Run: "1", Reason: "c"}, second}},
		{"one is published", nil, map[string]bool{"1": true, "9": true}, []HeldBackRun{second}},
		{"and the other", nil, map[string]bool{"2": true}, nil},
	} {
		must(t, UpdateHeldBack(dir, step.more, step.published))
		got, err := ReadHeldBack(dir)
		must(t, err)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.does, diff)
		}
		if _, err := os.Stat(heldBackPath(dir)); (err == nil) != (len(step.want) > 0) {
			t.Errorf("%s: the file: %v", step.does, err)
		}
	}
	must(t, os.WriteFile(heldBackPath(dir), []byte("{"), 0o600))
	if _, err := ReadHeldBack(dir); err == nil || !strings.Contains(err.Error(), "can be deleted") {
		t.Errorf("a broken file: %v", err)
	}
	if err := UpdateHeldBack(dir, nil, nil); err == nil {
		t.Error("a broken file was replaced")
	}
}

func TestHeldBackErrorNamesEachRun(t *testing.T) {
	err := fmt.Errorf("run: %w", &HeldBackError{[]HeldBackRun{{Run: "1", Date: "2026-11-20", Reason: "a"}, {Run: "2", Date: "2026-11-21", Reason: "b"}}})
	if !errors.Is(err, load.ErrIssues) || !strings.Contains(err.Error(), "run 1 of 2026-11-20: a; run 2 of 2026-11-21: b") {
		t.Errorf("got %v", err)
	}
}

// TestNightsArePublishedTogether checks the order of nights, and that no night is split over two publishes.
func TestNightsArePublishedTogether(t *testing.T) {
	var paths []string
	for day := 31; day > 0; day-- {
		for _, run := range []string{"b", "a"} {
			paths = append(paths, filepath.Join("journal", fmt.Sprintf("2026-12-%02d", day), run))
		}
	}
	nights := nightsOf(paths)
	if want := []string{"journal/2026-12-01/a", "journal/2026-12-01/b"}; len(nights) != 31 || !cmp.Equal(nights[0], want) {
		t.Errorf("%d nights, and the first is %v, want %v", len(nights), nights[0], want)
	}
	some := chunksOf(nights)
	if len(some) != 2 || len(some[0]) != 2*chunk || len(some[1]) != 2 {
		t.Errorf("%d publishes", len(some))
	}
	if nightsOf(nil) != nil || chunksOf(nil) != nil {
		t.Error("something of nothing")
	}
}

// TestADamagedSegmentSaysWhatToDo: the error of a write names the run and the way out.
func TestADamagedSegmentSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	s, err := journal.Create(filepath.Join(dir, "journal"), journal.Entry{Kind: journal.KindPlan, Plan: &journal.Plan{Run: "r", Job: "nightly", Date: "2026-11-20"}})
	must(t, err)
	must(t, s.Close())
	b, err := os.ReadFile(s.Path())
	must(t, err)
	b[len(b)/4] ^= 4
	must(t, os.WriteFile(s.Path(), append(b, b...), 0o600))
	_, err = Deriver{Dir: dir}.Write(s.Path())
	if !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), "derive r: ") || !strings.Contains(err.Error(), "verify --salvage") {
		t.Errorf("got %v", err)
	}
	other := errors.New("disk full")
	if got := withAdvice(other); got != other {
		t.Errorf("another error became %v", got)
	}
}
