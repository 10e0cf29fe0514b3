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

// scratchGrace is the age from which other processes look at a directory of Scratch: by then its
// owner has locked it.
const scratchGrace = time.Minute

// scratchName is the end of the name of such a directory.
var scratchName = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// Scratch makes a directory for temporary files below parent, which must exist, under a random name
// that begins with a prefix. Only its owner can read it. First it removes the directories that
// killed processes left: each process locks its directory, and the kernel releases the lock when
// the process ends. Done removes the directory with all that is in it. All errors are those of the
// file system.
func Scratch(parent, prefix string) (dir string, done func() error, err error) {
	if err := removeStale(parent, prefix); err != nil {
		return "", nil, err
	}
	dir = filepath.Join(parent, prefix+rand.Text())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("make a directory of temporary files: %w", err)
	}
	locked, err := os.Open(dir)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a directory of temporary files: %w", err), os.Remove(dir))
	}
	// If the file system cannot lock directories, a killed process leaves its directory for good.
	_ = unix.Flock(int(locked.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	return dir, func() error { return errors.Join(os.RemoveAll(dir), locked.Close()) }, nil
}

// removeStale removes directories that no process has locked. It skips other users' directories.
func removeStale(parent, prefix string) error {
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
		return nil // its owner has removed it
	}
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < scratchGrace {
		return err
	}
	locked, err := os.Open(path)
	if err != nil {
		return err
	}
	defer locked.Close()
	if unix.Flock(int(locked.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return nil
	}
	return os.RemoveAll(path)
}

// escaped returns a pattern that matches only this path.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
