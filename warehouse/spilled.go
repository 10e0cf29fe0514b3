package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Readers of the published file spill to a directory beside it, unless they set another one, and
// leave the files there when they are killed. If the system cannot report whether a program still
// writes a file, it counts as abandoned after oldSpilled. An empty directory is removed only after
// newSpilled, since a reader may have just made it.
const (
	oldSpilled = 24 * time.Hour
	newSpilled = time.Minute
)

// clearSpilled removes the temporary files of killed readers, and returns what it did.
func clearSpilled(directory string) (notices []string, err error) {
	entries, err := os.ReadDir(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for temporary files: %w", err)
	}
	info, err := os.Stat(directory)
	if err != nil {
		return nil, fmt.Errorf("look for temporary files: %w", err)
	}
	removed, bytes := 0, int64(0)
	for _, e := range entries {
		path := filepath.Join(directory, e.Name())
		file, err := os.Lstat(path)
		if err != nil || !file.Mode().IsRegular() {
			continue // its reader has removed it, or it is no file of DuckDB's
		}
		free, err := notBeingWritten(path)
		if err != nil {
			free = time.Since(file.ModTime()) > oldSpilled
		}
		if !free {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove temporary files: %w", err)
		}
		removed, bytes = removed+1, bytes+file.Size()
	}
	if time.Since(info.ModTime()) > newSpilled {
		_ = os.Remove(directory) // it stays if it has files
	}
	if removed == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("removed %d temporary files (%d MiB) in %s, which another program left", removed, bytes>>20, directory)}, nil
}
