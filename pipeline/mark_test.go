package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/datadir"
	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestNothingIsAskedWithoutTheMark runs while the volume is not mounted: a new lake would cost 7,840 credits.
func TestNothingIsAskedWithoutTheMark(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := datadir.CheckMark(dir, ""); !errors.Is(err, datadir.ErrMark) {
		t.Errorf("got %v, want %v", err, datadir.ErrMark)
	}
	id, err := datadir.Mark(dir, weekStart)
	must(t, err)
	if again, err := datadir.Mark(dir, weekStart.Add(time.Hour)); err != nil || again != id {
		t.Errorf("marked again with %s, %v; want %s", again, err, id)
	}
	must(t, datadir.CheckMark(dir, id))
	must(t, datadir.CheckMark(dir, ""))
	other := t.TempDir()
	_, err = datadir.Mark(other, weekStart)
	must(t, err)
	for name, p := range map[string]*Pipeline{
		"another directory":    {Dir: other, MarkID: id},
		"an unmounted volume":  {Dir: t.TempDir(), MarkID: id},
		"a run that must find": {Dir: t.TempDir(), MustExist: true},
	} {
		if _, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC}, ""); !errors.Is(err, datadir.ErrMark) {
			t.Errorf("%s: got %v, want %v", name, err, datadir.ErrMark)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "fleetlake.id"), nil, 0o644))
	if _, err := datadir.Mark(dir, weekStart); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a broken mark: %v", err)
	}
}
