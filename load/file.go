package load

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// The lake is readable for its owner and its group.
const (
	fileMode = 0o640
	dirMode  = 0o750
)

// makeDir makes a directory, and those above it, so that they survive a crash.
func makeDir(path string) error { return durable.MkdirAll(path, dirMode) }

// file is a file that appears whole or not at all. Its content is hashed while it is written.
type file struct {
	path string
	f    *durable.File
	w    *bufio.Writer
	sum  hash.Hash
	size int64
}

func create(path string) (*file, error) {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	f, err := durable.Create(path, fileMode)
	if err != nil {
		return nil, err
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
	if err := f.w.Flush(); err != nil {
		f.abandon()
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return f.f.Commit()
}

// abandon removes what was written.
func (f *file) abandon() { f.f.Abandon() }

// writeFile writes a small file, and the directories above it.
func writeFile(path string, b []byte) error {
	if err := makeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("create %s: %w", path, err)
	}
	return durable.WriteFile(path, b, fileMode)
}

// restrictMode removes from a file the permissions that fileMode does not have.
func restrictMode(path string) error {
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
