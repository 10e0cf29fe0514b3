package pipeline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// ErrLocked says that another process writes into the data directory.
var ErrLocked = errors.New("data directory is in use")

// Lock makes this process the one writer of a data directory until the returned function
// is called. The kernel gives the lock back when the process dies. The holder's words are
// what a second process is told.
func Lock(dir, holder string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	path := filepath.Join(dir, "lock")
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		words, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w: %s is locked by %s; wait for it, or use another --data", ErrLocked, dir, strings.TrimSpace(string(words)))
	}
	if err := os.WriteFile(path, []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("name the holder of %s: %w", path, err), l.Unlock())
	}
	return l.Unlock, nil
}
