package load

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// scratchGrace is how old a directory of Scratch is before anybody else looks at it: by then its
// owner holds it.
const scratchGrace = time.Minute

// scratchName is the end of the name of such a directory.
var scratchName = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// Scratch makes a directory for what is needed only now, below another one and under a name that
// begins with a prefix and can be nobody's. It first removes those that processes left that were
// killed: each process holds its own by a kernel lock, which ends with it. Done removes it.
func Scratch(parent, prefix string) (dir string, done func() error, err error) {
	if err := sweep(parent, prefix); err != nil {
		return "", nil, err
	}
	dir = filepath.Join(parent, prefix+rand.Text())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make a directory of temporary files: %w", err)
	}
	held, err := os.Open(dir)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a directory of temporary files: %w", err), os.Remove(dir))
	}
	// Where the file system locks no directory, what a kill leaves stays: nobody else removes it.
	_ = unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return dir, func() error { return errors.Join(os.RemoveAll(dir), held.Close()) }, nil
}

// sweep removes what nobody holds any more. What it may not remove is another user's.
func sweep(parent, prefix string) error {
	paths, err := filepath.Glob(filepath.Join(escaped(parent), prefix+"*"))
	if err != nil {
		return fmt.Errorf("look for temporary files: %w", err)
	}
	for _, path := range paths {
		if !scratchName.MatchString(strings.TrimPrefix(filepath.Base(path), prefix)) {
			continue
		}
		if err := removeAbandoned(path); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("remove temporary files that a killed process left: %w", err)
		}
	}
	return nil
}

func removeAbandoned(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its owner was faster
	}
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < scratchGrace {
		return err
	}
	held, err := os.Open(path)
	if err != nil {
		return err
	}
	defer held.Close()
	if unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	return os.RemoveAll(path)
}
