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

// Lock makes this process the one writer of a data directory, which it creates if it is absent, until the returned
// function is called. The kernel releases the lock when the process dies. holder describes this process to others, in
// one line: it is in their ErrLocked, which they get after half a second, and which says so if the holder is on
// another machine.
//
// Lock locks the directory itself, which nobody can remove while there is a file in it, and the
// file lock in it, because network file systems lock no directories. Removing that file would let
// others in.
func Lock(dir, holder string) (unlock func() error, err error) {
	if err := durable.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	if err := CheckWritable(dir); err != nil {
		return nil, err
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
	l := flock.New(lockPath(dir), flock.SetPermissions(lockMode))
	err = lockFile(ctx, l)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, errors.Join(lockedByHolder(dir), d.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock %s: %w", l.Path(), err), d.Close())
	}
	if err := writeHolder(l.Path(), holder); err != nil {
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

// lockMode lets everybody who may look into the directory see who writes. Earlier versions made the file for its
// owner alone.
const lockMode = 0o644

func writeHolder(path, holder string) error {
	return errors.Join(os.WriteFile(path, []byte(holder+"\n"+hostName()+"\n"), lockMode), os.Chmod(path, lockMode))
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
var ErrGone = errors.New("the data directory is gone: it was removed, renamed or unmounted while fleetlake wrote " +
	"into it. Put it back: the next start resumes")

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
	return fmt.Errorf("%w: the file %s was removed or replaced during the run, and another run may write there; "+
		"nothing is published now: the next start publishes what is paid for", ErrLocked, lockPath(dir))
}

// Holder returns how the process that holds the lock of a data directory described itself; "" if no process does, or
// if there is no directory. It changes nothing: for an instant it takes a shared lock, which fails if a writer has
// locked.
//
// A process that begins or ends has only one of its two locks for a moment, or has not written its
// description yet. Holder looks again until that moment is over, for lockWithin at most.
func Holder(dir string) (string, error) {
	h, err := holderOf(dir)
	return h.words, err
}

// holder is the process that holds the lock; without words there is none.
type holder struct {
	words string // its description of itself
	host  string // its machine; "" if it does not say
}

// holderOf is Holder, with the machine.
func holderOf(dir string) (holder, error) {
	for start := time.Now(); ; time.Sleep(lockAgain) {
		h, settled, err := lookAtLocks(dir)
		if err != nil || settled || time.Since(start) > lockWithin {
			return h, err
		}
	}
}

// lookAtLocks returns the holder, and whether it will stay the same: whether a holder has taken all its locks and has
// written its description.
func lookAtLocks(dir string) (h holder, settled bool, err error) {
	dirFree, err := isFree(dir)
	if err != nil {
		dirFree = true // this file system cannot lock directories
	}
	fileFree, err := isFree(lockPath(dir))
	switch {
	case err != nil:
		return holder{}, true, fmt.Errorf("look at the lock: %w", err)
	case dirFree && fileFree:
		return holder{}, true, nil
	case fileFree:
		return holder{words: "a process whose lock file was removed or replaced"}, false, nil
	}
	b, err := os.ReadFile(lockPath(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return holder{}, true, fmt.Errorf("read the holder of the lock: %w", err)
	}
	words, host, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return holder{cmp.Or(words, "a process without a name"), host}, words != "", nil
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

// CheckLock returns the ErrLocked that Lock would return, and does not lock.
func CheckLock(dir string) error {
	h, err := holderOf(dir)
	if err == nil && h.words != "" {
		return h.locked(dir)
	}
	return err
}

func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// lockedByHolder returns ErrLocked with the holder after Lock has waited for it in vain. A holder that
// has ended since then has no description.
func lockedByHolder(dir string) error {
	h, err := holderOf(dir)
	if err != nil {
		return errors.Join(ErrLocked, err)
	}
	h.words = cmp.Or(h.words, "a process that has just ended")
	return h.locked(dir)
}

// locked is the ErrLocked of a process that finds this holder. A network file system may keep the lock of a machine
// that is down.
func (h holder) locked(dir string) error {
	elsewhere := ""
	if h.host != "" && h.host != hostName() {
		elsewhere = ". It runs on another machine. If that machine is down, the server of the file system releases " +
			"the lock when it notices"
	}
	return fmt.Errorf("%w: %s is locked by %s; wait for it, or use another --data%s", ErrLocked, dir, h.words, elsewhere)
}

// hostName is the name of this machine; "" if it has none.
func hostName() string {
	name, _ := os.Hostname()
	return name
}
