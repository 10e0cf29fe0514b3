package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Part ends the name of a file that is not finished.
const Part = ".part"

// WriteFile writes a file, or replaces it. If it fails, the earlier file is unchanged and no
// temporary one is left. The directory must exist; perm is subject to the umask.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Abandon()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Commit()
}

// File is a file that Commit makes appear. It is not safe for concurrent use.
type File struct {
	path string
	f    *os.File
}

// Create opens the temporary file of a path, and empties it if a crash left one. The caller ends
// with Commit or Abandon.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := os.OpenFile(path+Part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return nil, fmt.Errorf("create: %w", err) // the error has the path
	}
	return &File{path, f}, nil
}

// Write writes to the temporary file, unbuffered.
func (f *File) Write(b []byte) (int, error) { return f.f.Write(b) }

// Commit renames the file to its name. If it fails, the temporary file is removed.
func (f *File) Commit() error {
	err := errors.Join(f.f.Sync(), f.f.Close())
	if err == nil {
		err = os.Rename(f.path+Part, f.path)
	}
	if err != nil {
		_ = os.Remove(f.path + Part)
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return SyncDir(filepath.Dir(f.path))
}

// Abandon removes the temporary file.
func (f *File) Abandon() {
	_ = f.f.Close()
	_ = os.Remove(f.path + Part)
}

// Replace syncs a finished file, and renames it to a path on the same file system. If it fails,
// both files are as they were.
func Replace(temporary, path string) error {
	if err := Sync(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err // it has the operation and both paths
	}
	return SyncDir(filepath.Dir(path))
}

// MkdirAll makes a directory and those above it, and syncs the directory above each new one.
func MkdirAll(path string, perm fs.FileMode) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: errors.New("not a directory")}
	case err == nil, !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := MkdirAll(filepath.Dir(path), perm); err != nil {
		return err
	}
	if err := os.Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Sync waits until the content of a file is on disk.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err) // the error has the path
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

// SyncDir waits until the names in a directory are on disk: those of new, renamed and removed
// files.
func SyncDir(dir string) error { return Sync(dir) }
