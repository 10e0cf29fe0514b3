package load

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestScratchRemovesUnlockedDirectories makes directories of all kinds beside a new one.
func TestScratchRemovesUnlockedDirectories(t *testing.T) {
	const name = "x-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for what, c := range map[string]struct {
		name   string
		age    time.Duration
		locked bool
		stays  bool
	}{
		"of a killed process":        {name, 2 * scratchGrace, false, false},
		"of a process that works":    {name, 2 * scratchGrace, true, true},
		"of one that has just begun": {name, scratchGrace / 2, false, true},
		"of a person":                {"x-mine", 2 * scratchGrace, false, true},
		"of another use":             {"y-ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2 * scratchGrace, false, true},
	} {
		t.Run(what, func(t *testing.T) {
			ok := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			parent := t.TempDir()
			path := filepath.Join(parent, c.name)
			ok(os.MkdirAll(filepath.Join(path, "spilled"), 0o700))
			if c.locked {
				f, err := os.Open(path)
				ok(err)
				defer f.Close()
				ok(unix.Flock(int(f.Fd()), unix.LOCK_EX))
			}
			ok(os.Chtimes(path, time.Time{}, time.Now().Add(-c.age)))
			own, done, err := Scratch(parent, "x-")
			ok(err)
			if _, err := os.Stat(path); (err == nil) != c.stays {
				t.Errorf("stays: %v, want %v", err == nil, c.stays)
			}
			ok(os.WriteFile(filepath.Join(own, "f"), nil, 0o600))
			ok(done())
			if _, err := os.Stat(own); err == nil {
				t.Error("it is still there when it is done")
			}
		})
	}
}
