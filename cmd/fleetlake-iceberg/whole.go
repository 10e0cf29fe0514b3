package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	iceio "github.com/apache/iceberg-go/io"
)

// temporary marks a file that is still being written.
const temporary = ".fleetlake-tmp-"

// wholeFile is written under a temporary name and gets its own when it is closed and on the disk.
type wholeFile struct {
	*os.File
	name string
}

func createWhole(name string) (*wholeFile, error) {
	if err := makeDirectory(filepath.Dir(name)); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+temporary+"*")
	if err != nil {
		return nil, err
	}
	return &wholeFile{f, name}, f.Chmod(0o644)
}

func (w *wholeFile) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.File, r) }

// Close makes the file visible. A catalog that refers to it survives a power failure with it.
func (w *wholeFile) Close() error {
	if err := errors.Join(w.Sync(), w.File.Close()); err != nil {
		return errors.Join(err, os.Remove(w.File.Name()))
	}
	if err := os.Rename(w.File.Name(), w.name); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(w.name))
}

func (w *wholeFile) abandon() error {
	return errors.Join(w.File.Close(), os.Remove(w.File.Name()))
}

// makeDirectory makes a directory and those above it, and syncs the directory above each new one, and above the first
// that is there: the process that made it may have been killed before it synced.
func makeDirectory(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	case err == nil:
		if err := syncDirectory(filepath.Dir(name)); !errors.Is(err, fs.ErrPermission) { // then another made it, who may
			return err
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := makeDirectory(filepath.Dir(name)); err != nil {
		return err
	}
	if err := os.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(filepath.Dir(name))
}

func syncDirectory(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// wholeFiles is Iceberg's local file system, except that files appear whole and are on the disk when they do.
type wholeFiles struct{ iceio.LocalFS }

func (wholeFiles) Create(uri string) (iceio.FileWriter, error) {
	return createWhole(localName(uri))
}

func (wholeFiles) WriteFile(uri string, content []byte) error {
	w, err := createWhole(localName(uri))
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return errors.Join(err, w.abandon())
	}
	return w.Close()
}

func localName(uri string) string { return filepath.FromSlash(strings.TrimPrefix(uri, "file://")) }

func init() {
	iceio.Unregister("file")
	iceio.Register("file", func(context.Context, *url.URL, map[string]string) (iceio.IO, error) { return wholeFiles{}, nil })
}
