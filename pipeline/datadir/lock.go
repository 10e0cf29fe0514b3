package datadir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// ErrLocked reports that another process writes into the data directory.
var ErrLocked = errors.New("data directory is in use")

// Lock retries a lock that is taken for a moment, since Holder takes it while it looks.
const (
	lockWithin = 500 * time.Millisecond
	lockAgain  = 5 * time.Millisecond
)

// Lock makes this process the one writer of a data directory, which it creates if it is absent,
// until the returned function is called. The kernel releases the lock when the process dies. holder
// describes this process to others: it is in their ErrLocked, which they get after half a second.
// The other errors are those of the file system.
//
// Lock locks the directory itself, which nobody can remove while there is a file in it, and the
// file lock in it, because network file systems lock no directories. Removing that file would let
// others in.
func Lock(dir, holder string) (unlock func() error, err error) {
	if err := durable.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWithin)
	defer cancel()
	d, err := lockDir(ctx, dir)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, lockedByHolder(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	l := flock.New(lockPath(dir))
	err = lockFile(ctx, l)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errors.Join(lockedByHolder(dir), d.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", l.Path(), err), d.Close())
	}
	if err := os.WriteFile(l.Path(), []byte(holder+"\n"), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("write the holder of %s: %w", l.Path(), err), l.Unlock(), d.Close())
	}
	if err := note(dir); err != nil {
		return nil, errors.Join(err, l.Unlock(), d.Close())
	}
	return func() error {
		var err error
		if StillLocked(dir) == nil { // else the file is another's
			err = os.Truncate(l.Path(), 0) // nobody may read this holder's name as that of the next one
		}
		lockedByUs.Delete(dir)
		return errors.Join(err, l.Unlock(), d.Close())
	}, nil
}

// lockDir locks a directory, where the file system can.
func lockDir(ctx context.Context, dir string) (*os.File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return d, nil // it is locked, or this file system cannot lock directories
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), d.Close())
		case <-time.After(lockAgain):
		}
	}
}

// lockFile locks a file. It tries once even if the time is over: a busy machine may have taken all of it
// for the lock of the directory, and then it would be this process that seems to hold the lock.
func lockFile(ctx context.Context, l *flock.Flock) error {
	if free, err := l.TryLock(); err != nil || free {
		return err
	}
	_, err := l.TryLockContext(ctx, lockAgain)
	return err
}

// lockedByUs maps the data directories that this process has locked to their lock files.
var lockedByUs sync.Map

// note records the lock file of a data directory for stillLocked.
func note(dir string) error {
	info, err := os.Stat(lockPath(dir))
	if err != nil {
		return fmt.Errorf("look at the lock: %w", err)
	}
	lockedByUs.Store(dir, info)
	return nil
}

// ErrGone reports that a data directory that this process has locked is no longer there.
var ErrGone = errors.New("the data directory is gone: it was removed, renamed or unmounted while fleetlake wrote into it. Put it back: the next start resumes")

// Gone returns ErrGone if a data directory that this process has locked is no longer there, and nil for any
// other.
func Gone(dir string) error {
	if _, ok := lockedByUs.Load(dir); !ok {
		return nil
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrGone, err) // the error has the path
	}
	return nil
}

// StillLocked returns ErrGone if the directory is no longer there, and ErrLocked if somebody has removed the
// lock file of this process, or replaced it or its directory: another process could lock the new one. It
// returns nil for a directory that this process has not locked, as a copy that is only compared.
func StillLocked(dir string) error {
	was, ok := lockedByUs.Load(dir)
	if !ok {
		return nil // a caller that needs no lock, as on a copy
	}
	now, err := os.Stat(lockPath(dir))
	if err == nil && os.SameFile(was.(fs.FileInfo), now) {
		return nil
	}
	if err := Gone(dir); err != nil {
		return err
	}
	return fmt.Errorf("%w: the file %s was removed or replaced during the run, and another run may write there; nothing is published now: the next start publishes what is paid for", ErrLocked, lockPath(dir))
}

// Holder returns how the process that holds the lock of a data directory described itself; "" if no
// process does, or if there is no directory. It changes nothing: for an instant it takes a shared
// lock, which fails if a writer has locked. Its errors are those of the file system.
//
// A process that begins or ends has only one of its two locks for a moment, or has not written its
// description yet. Holder looks again until that moment is over, for lockWithin at most.
func Holder(dir string) (string, error) {
	for start := time.Now(); ; time.Sleep(lockAgain) {
		words, settled, err := lookAtLocks(dir)
		if err != nil || settled || time.Since(start) > lockWithin {
			return words, err
		}
	}
}

// lookAtLocks returns the description of the holder, or "", and whether it will stay the same: whether
// a holder has taken all its locks and has written its description.
func lookAtLocks(dir string) (words string, settled bool, err error) {
	dirFree, err := isFree(dir)
	if err != nil {
		dirFree = true // this file system cannot lock directories
	}
	fileFree, err := isFree(lockPath(dir))
	switch {
	case err != nil:
		return "", true, fmt.Errorf("look at the lock: %w", err)
	case dirFree && fileFree:
		return "", true, nil
	case fileFree:
		return "a process whose lock file was removed or replaced", false, nil
	}
	b, err := os.ReadFile(lockPath(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", true, fmt.Errorf("read the holder of the lock: %w", err)
	}
	words = strings.TrimSpace(string(b))
	return cmp.Or(words, "a process without a name"), words != "", nil
}

// isFree returns whether no process has locked a file. A file that does not exist is free.
func isFree(path string) (bool, error) {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return free, errors.Join(err, l.Close())
}

// CheckLock returns the ErrLocked that Lock would return, and does not lock. Its other errors are
// those of Holder.
func CheckLock(dir string) error {
	words, err := Holder(dir)
	if err == nil && words != "" {
		return locked(dir, words)
	}
	return err
}

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// lockedByHolder returns ErrLocked with the holder after Lock has waited for it in vain. A holder that
// has ended since then has no description.
func lockedByHolder(dir string) error {
	words, err := Holder(dir)
	if err != nil {
		return errors.Join(ErrLocked, err)
	}
	return locked(dir, cmp.Or(words, "a process that has just ended"))
}

func locked(dir, words string) error {
	return fmt.Errorf("%w: %s is locked by %s; wait for it, or use another --data", ErrLocked, dir, words)
}
