package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Readers of the published file spill to a directory beside it, each to its own, unless they set another one, and
// leave the files there when they are killed. Other programs share the directory that ends with .tmp. If the system
// cannot report whether a program still writes a file, it counts as abandoned after oldSpilled. An empty directory
// is removed only after newSpilled, since a reader may have just made it.
const (
	oldSpilled = 24 * time.Hour
	newSpilled = time.Minute
)

// spilledTo is in the name of a reader's directory, between the path of the file and a random text.
const spilledTo = ".tmp-"

// clearAllSpilled is clearSpilled for all directories beside a file.
func clearAllSpilled(path string) (notices []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for temporary files: %w", err)
	}
	for _, e := range entries {
		beside := filepath.Join(filepath.Dir(path), e.Name())
		if !e.IsDir() || beside != path+".tmp" && !strings.HasPrefix(beside, path+spilledTo) {
			continue
		}
		more, err := clearSpilled(beside)
		if notices = append(notices, more...); err != nil {
			return notices, err
		}
	}
	return notices, nil
}

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
