package datadir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
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
	if b, err := os.ReadFile(lockPath(dir)); err != nil || len(b) > 0 {
		t.Errorf("the next holder seems to be %q, %v", b, err)
	}
}

// TestHolderWaitsUntilTheLocksAreSettled looks while a writer has one of its two locks, or both and no
// name: for a moment as it begins and ends, or for good because somebody removed the file.
func TestHolderWaitsUntilTheLocksAreSettled(t *testing.T) {
	const moment = lockWithin / 2
	type state struct {
		dir, file bool   // whether each is locked
		words     string // what the file says
	}
	cases := map[string]struct {
		now, then state
		want      string
		took      time.Duration
	}{
		"it begins: the directory is locked, the file not yet":                    {state{dir: true, words: "of an earlier run"}, state{true, true, "a run"}, "a run", moment},
		"it begins: both are locked, the name is not written":                     {state{dir: true, file: true}, state{true, true, "a run"}, "a run", moment},
		"it begins where directories cannot be locked":                            {state{file: true}, state{false, true, "a run"}, "a run", moment},
		"it ends: the file is unlocked, the directory not yet":                    {state{dir: true, words: "a run"}, state{words: "a run"}, "", moment},
		"somebody replaced the file, which the writer does not lock":              {state{dir: true, words: "x"}, state{dir: true, words: "x"}, "a process whose lock file was removed or replaced", lockWithin},
		"somebody emptied the file":                                               {state{dir: true, file: true}, state{dir: true, file: true}, "a process without a name", lockWithin},
		"it writes":                                                               {state{true, true, "a run"}, state{true, true, "a run"}, "a run", 0},
		"nobody writes, and the last writer was killed with its name in the file": {state{words: "a run"}, state{words: "a run"}, "", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			locks := map[string]*flock.Flock{dir: flock.New(dir, flock.SetFlag(os.O_RDONLY)), lockPath(dir): flock.New(lockPath(dir))}
			become := func(s state) {
				must(t, os.WriteFile(lockPath(dir), []byte(s.words), 0o644))
				for path, take := range map[string]bool{dir: s.dir, lockPath(dir): s.file} {
					if !take {
						must(t, locks[path].Unlock())
					} else if ok, err := locks[path].TryLock(); !ok || err != nil {
						t.Error("lock", path, ok, err)
					}
				}
			}
			become(c.now)
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				time.AfterFunc(moment, func() { become(c.then) })
				words, err := Holder(dir)
				if took := time.Since(start); err != nil || words != c.want || took < c.took || took > c.took+2*lockAgain {
					t.Errorf("%q, %v after %v; want %q after %v", words, err, took, c.want, c.took)
				}
			})
			become(state{})
		})
	}
}

// TestALockThatIsTakenTooLongNamesItsHolder, also one that has ended by then.
func TestALockThatIsTakenTooLongNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	if err := lockedByHolder(dir); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "just ended") {
		t.Errorf("got %v", err)
	}
	unlock, err := Lock(dir, "a run")
	must(t, err)
	defer unlock()
	if err := lockedByHolder(dir); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "by a run;") {
		t.Errorf("got %v", err)
	}
}

// TestALockThatIsFreeIsTakenHoweverLate: the machine may be busy.
func TestALockThatIsFreeIsTakenHoweverLate(t *testing.T) {
	over, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	path := filepath.Join(t.TempDir(), "lock")
	first := flock.New(path)
	must(t, lockFile(over, first))
	if err := lockFile(over, flock.New(path)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is taken: got %v", err)
	}
	must(t, first.Unlock())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestADirectoryThatIsGone renames a directory that is locked: it is not said to be in use by another.
func TestADirectoryThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	unlock, err := Lock(dir, "the first")
	must(t, err)
	must(t, Gone(dir))
	must(t, os.Rename(dir, dir+"-away"))
	if err := StillLocked(dir); !errors.Is(err, ErrGone) || errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want %v", err, ErrGone)
	}
	must(t, unlock())
	if err := Gone(dir); err != nil {
		t.Errorf("a directory that is not locked: %v", err)
	}
}
