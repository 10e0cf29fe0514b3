package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked says that another process writes into the data directory.
var ErrLocked = errors.New("data directory is in use")

// Lock waits a moment for a lock that is held, since Holder has it while it looks.
const (
	lockWithin = 500 * time.Millisecond
	lockAgain  = 5 * time.Millisecond
)

// Lock makes this process the one writer of a data directory until the returned function
// is called. The kernel gives the lock back when the process dies. The holder's words are
// what a second process is told.
func Lock(dir, holder string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	l := flock.New(lockPath(dir))
	_, err = l.TryLockContext(ctx, lockAgain)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		words, _ := holderOf(dir)
		return nil, locked(dir, words)
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", l.Path(), err)
	}
	if err := os.WriteFile(l.Path(), []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("name the holder of %s: %w", l.Path(), err), l.Unlock())
	}
	return l.Unlock, nil
}

// Holder returns the words of the process that holds the lock of a data directory, or nothing.
// It changes nothing: for an instant it shares the lock with others who look, which only works
// if nobody holds it.
func Holder(dir string) (string, error) {
	l := flock.New(lockPath(dir), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err := errors.Join(err, l.Close()); err != nil {
		return "", fmt.Errorf("look at the lock: %w", err)
	}
	if free {
		return "", nil
	}
	return holderOf(dir)
}

// CheckLock returns what Lock would, and does not take the lock.
func CheckLock(dir string) error {
	words, err := Holder(dir)
	if err == nil && words != "" {
		return locked(dir, words)
	}
	return err
}

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

func holderOf(dir string) (string, error) {
	words, err := os.ReadFile(lockPath(dir))
	if err != nil {
		return "", fmt.Errorf("read who holds the lock: %w", err)
	}
	return cmp.Or(strings.TrimSpace(string(words)), "a process without a name"), nil
}

func locked(dir, words string) error {
	return fmt.Errorf("%w: %s is locked by %s; wait for it, or use another --data", ErrLocked, dir, words)
}
