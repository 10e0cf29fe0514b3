package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheLockOutlivesItsFile removes the file lock during a run: no second run may start.
func TestTheLockOutlivesItsFile(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir, "the first")
	must(t, err)
	must(t, StillLocked(dir))
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
	if err := StillLocked(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("before the publish: got %v, want %v", err, ErrLocked)
	}
	must(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o644))
	if err := StillLocked(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("another file in its place: got %v, want %v", err, ErrLocked)
	}
	must(t, unlock())
	again, err := Lock(dir, "the second")
	must(t, err)
	must(t, again())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
