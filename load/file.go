package load

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// The lake is readable for its owner and its group.
const (
	fileMode = 0o640
	dirMode  = 0o750
)

// makeDir makes a directory, and those above it, so that they survive a crash.
func makeDir(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := makeDir(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.Mkdir(path, dirMode); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// part ends the name of a file that is not finished.
const part = ".part"

// file is a file that appears whole or not at all. Its content is hashed while it is written.
type file struct {
	path string
	f    *os.File
	w    *bufio.Writer
	sum  hash.Hash
	size int64
}

func create(path string) (*file, error) {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	f, err := os.OpenFile(path+part, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return &file{path: path, f: f, w: bufio.NewWriterSize(f, 1<<16), sum: sha256.New()}, nil
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	f.sum.Write(b[:n])
	f.size += int64(n)
	return n, err
}

// digest returns the SHA-256 of what was written so far.
func (f *file) digest() string { return hex.EncodeToString(f.sum.Sum(nil)) }

// commit makes the file appear.
func (f *file) commit() error {
	if err := errors.Join(f.w.Flush(), f.f.Sync(), f.f.Close()); err != nil {
		os.Remove(f.path + part)
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return appear(f.path)
}

// abandon removes what was written.
func (f *file) abandon() {
	f.f.Close()
	os.Remove(f.path + part)
}

// appear renames a finished and synced file to its name, so that it survives a crash.
func appear(path string) error {
	if err := os.Rename(path+part, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(filepath.Dir(path))
}

// writeFile writes a small file.
func writeFile(path string, b []byte) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		f.abandon()
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.commit()
}

// syncFile waits until a file's content is on disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

// syncDir waits until the names in a directory are on disk.
func syncDir(path string) error { return syncFile(path) }

// narrow removes from a file the permissions that fileMode does not have.
func narrow(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&fileMode)
}

// digest returns the size and the SHA-256 of a file.
func digest(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}
