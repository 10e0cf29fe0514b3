package export

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/sourcegraph/conc/pool"
)

// errDamaged says that a file differs from its manifest.
var errDamaged = errors.New("is damaged")

// ErrExpiring says that an expiry is removing a file which is wanted again, or was killed while it did.
var ErrExpiring = errors.New("an expiry is removing it: run `fleetlake export expire` to its end, then export again")

// uploaders is how many files are uploaded at a time.
const uploaders = 4

// upload is a local file that the store does not have.
type upload struct {
	key, path string
	bytes     int64
	sha256    string
}

// uploadsFor lists the files of the next manifest that the store does not have.
func (p *plan) uploadsFor(t *target, local map[string]string) error {
	listed := t.current.paths()
	add := func(path string, bytes int64, sum string) error {
		ok, err := t.has(path, bytes)
		_, before := listed[path]
		switch from, here := local[path]; {
		case err != nil:
			return err
		case ok && !before && slices.Contains(t.current.Expiring, path):
			return fmt.Errorf("%s: %w", path, ErrExpiring)
		case ok:
			return nil
		case !here:
			return fmt.Errorf("%s is missing in the target, and this export does not select it: export without --since and --tables", path)
		default:
			p.uploads = append(p.uploads, upload{path, from, bytes, sum})
			return nil
		}
	}
	for _, f := range p.next.Files {
		if err := add(f.Path, f.Bytes, f.SHA256); err != nil {
			return err
		}
	}
	if w := p.next.Warehouse; w != nil {
		return add(w.Path, w.Bytes, w.SHA256)
	}
	return nil
}

// upload uploads files, a few at a time, in their order.
func (e *exporter) upload(ctx context.Context, all []upload) error {
	if len(all) == 0 {
		return nil
	}
	now := Progress{Phase: "upload", AllFiles: len(all)}
	for _, u := range all {
		now.AllBytes += u.bytes
	}
	e.o.report(now)
	var mu sync.Mutex
	group := pool.New().WithMaxGoroutines(uploaders).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, u := range all {
		group.Go(func(ctx context.Context) error {
			stored, err := u.put(ctx, e.store)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			now.Files++
			now.Bytes += u.bytes
			if stored {
				e.stored[u.key] = true
				e.report.Files++
				e.report.Bytes += u.bytes
			}
			e.o.report(now)
			return nil
		})
	}
	return group.Wait()
}

// put uploads a file after it has compared it with its manifest. Stored is false if another export
// has stored it meanwhile.
func (u upload) put(ctx context.Context, s store.Store) (stored bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f, err := os.Open(u.path)
	if err != nil {
		return false, fmt.Errorf("upload %s: %w", u.key, err)
	}
	defer f.Close()
	size, sum, err := digest(f)
	if err != nil {
		return false, fmt.Errorf("upload %s: %w", u.key, err)
	}
	if size != u.bytes || sum != u.sha256 {
		return false, fmt.Errorf("%s %w: it has %d bytes and the SHA-256 %s, its manifest has %d and %s; `fleetlake verify` says what helps", u.path, errDamaged, size, sum, u.bytes, u.sha256)
	}
	err = s.Put(ctx, u.key, store.Source{File: f, Bytes: u.bytes, SHA256: u.sha256})
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// sum returns the SHA-256 of a content.
func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// digest returns the size and the SHA-256 of an open file.
func digest(f *os.File) (size int64, sum string, err error) {
	h := sha256.New()
	if size, err = io.Copy(h, f); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// counting counts the requests to a store.
type counting struct {
	store.Store
	requests atomic.Int64
}

// List implements store.Store.
func (c *counting) List(ctx context.Context, prefix string) iter.Seq2[store.Object, error] {
	c.requests.Add(1)
	return c.Store.List(ctx, prefix)
}

// Get implements store.Store.
func (c *counting) Get(ctx context.Context, key string) (io.ReadCloser, string, error) {
	c.requests.Add(1)
	return c.Store.Get(ctx, key)
}

// Put implements store.Store.
func (c *counting) Put(ctx context.Context, key string, src store.Source) error {
	c.requests.Add(1)
	return c.Store.Put(ctx, key, src)
}

// Replace implements store.Store.
func (c *counting) Replace(ctx context.Context, key string, content []byte, version string) error {
	c.requests.Add(1)
	return c.Store.Replace(ctx, key, content, version)
}

// Delete implements store.Store.
func (c *counting) Delete(ctx context.Context, key string) error {
	c.requests.Add(1)
	return c.Store.Delete(ctx, key)
}
