package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Part ends the name of a file that is not finished.
const Part = ".part"

// WriteFile writes a file, or replaces it. The directory must exist; perm is subject to the umask. If it fails, no
// temporary file is left, and the earlier file is unchanged, unless only the last sync of the directory failed.
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

// Create opens the temporary file of a path, and empties it if a crash left one. The directory must exist; perm is
// subject to the umask. The caller ends with Commit or Abandon.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := os.OpenFile(path+Part, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return nil, fmt.Errorf("create: %w", err) // the error has the path
	}
	return &File{path, f}, nil
}

// Write appends to the temporary file, unbuffered, as io.Writer describes. After an error the
// caller abandons the file.
func (f *File) Write(b []byte) (int, error) { return f.f.Write(b) }

// ReadAt reads back what was written, as io.ReaderAt describes.
func (f *File) ReadAt(b []byte, off int64) (int, error) { return f.f.ReadAt(b, off) }

// Commit syncs the file, renames it to its name, and syncs the directory. If it fails before the rename, the
// temporary file is removed and the earlier file is unchanged.
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

// Abandon removes the temporary file. It ignores errors: what remains is a temporary file, which
// the next Create of the path empties.
func (f *File) Abandon() {
	_ = f.f.Close()
	_ = os.Remove(f.path + Part)
}

// Replace syncs a finished file, renames it to a path on the same file system, and syncs the directory. If it fails
// before the rename, both files are as they were.
func Replace(temporary, path string) error {
	if err := Sync(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err // it has the operation and both paths
	}
	return SyncDir(filepath.Dir(path))
}

// MkdirAll makes a directory and those above it, with perm less the umask, and syncs the directory above each new
// one, and above the first that is there: the process that made it may have been killed before it synced. A directory
// that is there is no error; a file in its place is one.
func MkdirAll(path string, perm fs.FileMode) error { return mkdirAll(path, perm, SyncDir) }

func mkdirAll(path string, perm fs.FileMode, sync func(dir string) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	case err == nil:
		return syncExisting(path, sync)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := mkdirAll(filepath.Dir(path), perm, sync); err != nil {
		return err
	}
	if err := os.Mkdir(path, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := sync(filepath.Dir(path)); err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}

// syncExisting syncs the directory above one that is there. Where this process may not read that, or the file system
// cannot sync it, somebody else has made the directory, as the state directory of a service.
func syncExisting(path string, sync func(dir string) error) error {
	err := sync(filepath.Dir(path))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Sync waits until the content of a file is on disk.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err) // the error has the path
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncDir waits until the names in a directory are on disk: those of new, renamed and removed files.
func SyncDir(dir string) error { return Sync(dir) }
