package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/plan"
)

// TestTheLockOutlivesItsFile removes the file lock during a run: no second run may start.
func TestTheLockOutlivesItsFile(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir, "the first")
	must(t, err)
	must(t, checkLockFile(dir))
	if _, err := Lock(dir, "the second"); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "the first") {
		t.Errorf("got %v, want the holder of the lock", err)
	}
	must(t, os.Remove(filepath.Join(dir, "lock")))
	if _, err := Lock(dir, "the second"); !errors.Is(err, ErrLocked) {
		t.Errorf("without its file: got %v, want %v", err, ErrLocked)
	}
	if words, err := Holder(dir); err != nil || words == "" {
		t.Errorf("holder %q, %v", words, err)
	}
	if err := checkLockFile(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("before the publish: got %v, want %v", err, ErrLocked)
	}
	must(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o644))
	if err := checkLockFile(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("another file in its place: got %v, want %v", err, ErrLocked)
	}
	must(t, unlock())
	again, err := Lock(dir, "the second")
	must(t, err)
	must(t, again())
}

// TestNothingIsAskedWithoutTheMark runs while the volume is not mounted: a new lake would cost 7,840 credits.
func TestNothingIsAskedWithoutTheMark(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := CheckMark(dir, ""); !errors.Is(err, ErrMark) {
		t.Errorf("got %v, want %v", err, ErrMark)
	}
	id, err := Mark(dir, weekStart)
	must(t, err)
	if again, err := Mark(dir, weekStart.Add(time.Hour)); err != nil || again != id {
		t.Errorf("marked again with %s, %v; want %s", again, err, id)
	}
	must(t, CheckMark(dir, id))
	must(t, CheckMark(dir, ""))
	other := t.TempDir()
	_, err = Mark(other, weekStart)
	must(t, err)
	for name, p := range map[string]*Pipeline{
		"another directory":    {Dir: other, MarkID: id},
		"an unmounted volume":  {Dir: t.TempDir(), MarkID: id},
		"a run that must find": {Dir: t.TempDir(), MustExist: true},
	} {
		if _, err := p.Run(t.Context(), plan.Job{Name: "nightly", Location: time.UTC}, ""); !errors.Is(err, ErrMark) {
			t.Errorf("%s: got %v, want %v", name, err, ErrMark)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "fleetlake.id"), nil, 0o644))
	if _, err := Mark(dir, weekStart); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a broken mark: %v", err)
	}
}
