// Package published reads the published warehouse for those who watch a process: the page and the
// metrics. What was read once serves everybody until a run publishes the next file. The package
// only reads; what a crash leaves beside the file, the next publish removes.
package published

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
	"github.com/fleetlake/fleetlake/warehouse"
)

// Limits of reading a published file: the read runs beside a harvest and must not starve it.
const (
	leastMemoryMiB = 256
	mostMemoryMiB  = 512              // what is often asked of three years of 100,000 vessels
	readThreads    = 1                // warehouse.Threads says why
	retryAfter     = 10 * time.Second // after a file that could not be read
	maxEntries     = 16
)

// Cache keeps what was read from the published file, by key. Each Get checks the identity of the file,
// which is cheap; the file is read again only when it was replaced, and on the first Get of a UTC day,
// because what is read may count what was spent today. Dir and Read are set before the first Get.
type Cache[K comparable, V any] struct {
	Dir   string                                                                             // the data directory
	Files *Files                                                                             // of the same directory, to read by; nil opens the file for each read
	Read  func(ctx context.Context, w *warehouse.Warehouse, key K, now time.Time) (V, error) // reads what belongs to a key

	mu      sync.Mutex // locked while reading, so that one reads and the others wait
	file    os.FileInfo
	date    string // the UTC day
	entries map[K]entry[V]
}

// entry is what was read for a key, or why there is nothing.
type entry[V any] struct {
	value V
	err   error
	at    time.Time
}

// Get returns what belongs to a key in the file that is published at the time now. A caller that goes
// away does not cancel the read, because others wait for the same. Its errors are those of
// warehouse.Open and of Read; they are returned again until ten seconds have passed or the file was
// replaced.
func (c *Cache[K, V]) Get(ctx context.Context, key K, now time.Time) (V, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	file, err := os.Stat(warehouse.Path(c.Dir))
	if err != nil {
		file = nil // opening says what is wrong in words
	}
	date := now.UTC().Format(time.DateOnly)
	if !Same(file, c.file) || date != c.date || len(c.entries) > maxEntries {
		c.file, c.date, c.entries = file, date, map[K]entry[V]{}
	}
	e, known := c.entries[key]
	if !known || e.err != nil && now.Sub(e.at).Abs() >= retryAfter {
		e.value, e.err = c.read(ctx, key, now)
		e.at = now
		c.entries[key] = e
	}
	return e.value, e.err
}

// Same reports whether two identities, as os.Stat returns them, are of one version of the published file. Nil
// is no file, and the same as nothing.
func Same(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// read reads the published file.
func (c *Cache[K, V]) read(ctx context.Context, key K, now time.Time) (value V, err error) {
	ctx = context.WithoutCancel(ctx)
	ask := func(ctx context.Context, w *warehouse.Warehouse) error {
		value, err = c.Read(ctx, w, key, now)
		return err
	}
	if c.Files != nil {
		return value, c.Files.Read(ctx, ask)
	}
	return value, Read(ctx, warehouse.Path(c.Dir), ask)
}

// Read opens a published file or one of its versions, lets ask read it, and closes it: within bounds of
// memory and time, and without any other file, because it runs beside a harvest. Its errors are those of
// warehouse.Open and of ask.
func Read(ctx context.Context, path string, ask func(context.Context, *warehouse.Warehouse) error) error {
	ctx, cancel := context.WithTimeout(ctx, times.Read)
	defer cancel()
	w, err := openBounded(ctx, path)
	if err != nil {
		return err
	}
	defer w.Close() // of a file that was only read
	return ask(ctx, w)
}

// openBounded opens a file within the bounds of this package.
func openBounded(ctx context.Context, path string) (*warehouse.Warehouse, error) {
	return warehouse.Open(ctx, path, warehouse.Options{MemoryMiB: warehouse.MemoryShare(leastMemoryMiB, mostMemoryMiB), Threads: readThreads, Confine: []string{}})
}
