package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// directory is a target on a file system.
type directory string

// path returns the name of the file of an object.
func (d directory) path(key string) string { return filepath.Join(string(d), filepath.FromSlash(key)) }

func (d directory) read(_ context.Context, key string) ([]byte, string, error) {
	content, err := os.ReadFile(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", errNotFound
	}
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(content)
	return content, hex.EncodeToString(sum[:]), nil
}

// replace compares and writes under a lock file, so that of two processes one gets errChanged. The lock and the
// temporary file are in _iceberg: whoever lists the pins shall find nothing but pins.
func (d directory) replace(ctx context.Context, key string, content []byte, version string) error {
	for _, dir := range []string{"_iceberg", path.Dir(key)} {
		if err := makeDirectory(d.path(dir)); err != nil {
			return err
		}
	}
	lock := flock.New(d.path("_iceberg/lock"))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", key, err)
	}
	defer lock.Unlock()
	_, now, err := d.read(ctx, key)
	if err != nil && !errors.Is(err, errNotFound) {
		return err
	}
	if now != version {
		return errChanged
	}
	f, err := os.Create(d.path("_iceberg/replacement"))
	if err != nil {
		return err
	}
	w := &wholeFile{f, d.path(key)}
	if _, err := w.Write(content); err != nil {
		return errors.Join(err, w.abandon())
	}
	return w.Close()
}

func (d directory) list(ctx context.Context, prefix string) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		err := filepath.WalkDir(d.path(prefix), func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // deleted meanwhile
			}
			if err != nil || e.IsDir() {
				return errors.Join(err, ctx.Err())
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			key := filepath.ToSlash(strings.TrimPrefix(name, string(d)+string(filepath.Separator)))
			if !yield(object{key, info.Size(), info.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(object{}, err)
		}
	}
}

func (d directory) remove(_ context.Context, key string) error {
	if err := os.Remove(d.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
