package warehouse

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPublishedStaysAsItWasOpened: a later publish is in the next one that is opened.
func TestPublishedStaysAsItWasOpened(t *testing.T) {
	dir := t.TempDir()
	open := func(days ...int) *Published {
		t.Helper()
		p, err := OpenPublished(t.Context(), dir)
		must(t, err)
		t.Cleanup(func() { must(t, p.Close()) })
		var want []string
		for _, day := range days {
			want = append(want, runAt(day).ID)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(p.Runs))); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		if (p.File == nil) != (len(days) == 0) || (p.Runs == nil) != (len(days) == 0) {
			t.Errorf("%d runs are published: %+v", len(days), p)
		}
		must(t, p.CheckProgram(t.Context()))
		return p
	}
	open()
	must(t, update(t, dir, 20))
	first := open(20)
	must(t, update(t, dir, 21))
	open(20, 21)
	if _, err := first.File.Run(t.Context(), runAt(20).ID); err != nil {
		t.Errorf("the first file after the second publish: %v", err)
	}
	if _, err := first.File.Run(t.Context(), runAt(21).ID); err == nil {
		t.Error("the first file has the second run")
	}
	must(t, first.Close())
	must(t, first.Close())
	if first.File != nil || !first.Runs[runAt(20).ID] {
		t.Errorf("after Close: %+v", first)
	}
}

func TestADamagedFileIsReportedWhenItIsOpened(t *testing.T) {
	dir := t.TempDir()
	must(t, update(t, dir, 20))
	must(t, os.WriteFile(Path(dir), []byte(strings.Repeat("not a database ", 1000)), 0o644))
	p, err := OpenPublished(t.Context(), dir)
	if p != nil || !IsDamaged(err) {
		t.Errorf("got %v, %v, want an error of damage", p, err)
	}
	must(t, p.Close())
}
