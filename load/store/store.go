// Package store has objects in a directory.
package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Errors of a store.
var (
	ErrNotFound = errors.New("no such object")
	ErrExists   = errors.New("the object exists")
	ErrChanged  = errors.New("the object was changed meanwhile")
)

// Object is one object of a store.
type Object struct {
	Key      string
	Bytes    int64
	Modified time.Time
}

// Source is the content of an object.
type Source struct {
	File   io.ReaderAt
	Bytes  int64
	SHA256 string
}

// Store has objects by keys with slashes.
type Store interface {
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	Get(ctx context.Context, key string) (body io.ReadCloser, version string, err error)
	Put(ctx context.Context, key string, src Source) error
	Replace(ctx context.Context, key string, content []byte, version string) error
	Delete(ctx context.Context, key string) error
}

// Options are those of a store.
type Options struct {
	Endpoint, Region                   string
	PathStyle                          bool
	AccessKey, SecretKey, SessionToken string
	Bandwidth                          int64
	Sent                               func(bytes int64)
	Warn                               func(string)
}

// Open opens a target.
func Open(_ context.Context, target string, o Options) (Store, error) {
	if strings.HasPrefix(target, "s3://") {
		return nil, fmt.Errorf("open %s: not yet", target)
	}
	return directory{target, o}, nil
}

type directory struct {
	root string
	o    Options
}

func (d directory) path(key string) string { return filepath.Join(d.root, filepath.FromSlash(key)) }

func (d directory) List(_ context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || e.IsDir() || strings.HasSuffix(path, durable.Part) {
				return err
			}
			key, err := filepath.Rel(d.root, path)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			if key = filepath.ToSlash(key); strings.HasPrefix(key, prefix) && !yield(Object{key, info.Size(), info.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Object{}, err)
		}
	}
}

func (d directory) Get(_ context.Context, key string) (io.ReadCloser, string, error) {
	b, err := os.ReadFile(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("get %s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(b)
	return io.NopCloser(strings.NewReader(string(b))), hex.EncodeToString(sum[:]), nil
}

func (d directory) Put(_ context.Context, key string, src Source) error {
	path := d.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary := path + "." + rand.Text() + durable.Part
	defer os.Remove(temporary)
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, io.NewSectionReader(src.File, 0, src.Bytes)); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(temporary, path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put %s: %w", key, ErrExists)
	} else if err != nil {
		return err
	}
	return nil
}

func (d directory) Replace(ctx context.Context, key string, content []byte, version string) error {
	_, now, err := d.Get(ctx, key)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if now != version {
		return fmt.Errorf("replace %s: %w", key, ErrChanged)
	}
	if err := os.MkdirAll(filepath.Dir(d.path(key)), 0o755); err != nil {
		return err
	}
	return durable.WriteFile(d.path(key), content, 0o644)
}

func (d directory) Delete(_ context.Context, key string) error {
	if err := os.Remove(d.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
