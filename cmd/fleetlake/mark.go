package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// markName is the file that tells one data directory from another, and from an empty one.
const markName = "fleetlake.id"

// directoryMark remembers which data directory a process serves. A volume that is unmounted leaves an
// empty directory behind: runs there would begin a new lake, and pay for all of it again.
type directoryMark struct {
	mu    sync.Mutex
	known []byte // nil until there is one
}

// remember reads the mark of a directory, if it has one.
func (m *directoryMark) remember(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	mark, err := readMark(dir)
	m.known = mark
	return err
}

// check refuses a directory whose mark is gone or another one's. The first mark that a directory
// gets is remembered.
func (m *directoryMark) check(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	mark, err := readMark(dir)
	switch {
	case err != nil:
		return err
	case m.known == nil:
		m.known = mark
		return nil
	case mark == nil:
		return errors.New("the data directory is not the one that this process began with: its " + markName + " is gone, so nothing is asked; is the volume mounted?")
	case !bytes.Equal(mark, m.known):
		return errors.New("the data directory is not the one that this process began with: its " + markName + " is another, so nothing is asked; start fleetlake anew if that is meant")
	}
	return nil
}

// readMark returns the mark of a directory, nil if it has none.
func readMark(dir string) ([]byte, error) {
	mark, err := os.ReadFile(filepath.Join(dir, markName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the mark of the data directory: %w", err)
	}
	return mark, nil
}
