package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Readers of the published file put what does not fit into their memory beside it, unless they are
// told otherwise, and leave it there when they are killed. Where it cannot be seen whether a
// program still writes it, it is nobody's after oldSpilled. A directory that is empty is left to
// the reader that has just made it for newSpilled.
const (
	oldSpilled = 24 * time.Hour
	newSpilled = time.Minute
)

// clearSpilled removes the temporary files of readers that died, and says so.
func clearSpilled(directory string) (said []string, err error) {
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
			continue // its reader was faster, or it is none of DuckDB's
		}
		free, err := unused(path)
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
		_ = os.Remove(directory) // it stays if something is in it
	}
	if removed == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("removed %d temporary files (%d MiB) in %s, which another program left", removed, bytes>>20, directory)}, nil
}
