package published

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/fleetlake/fleetlake/warehouse"
)

// keptOpen is how many idle readers Files keeps: as many as pages read at the same time. Each has a
// memory limit of its own, so that this bounds what they hold together.
const keptOpen = 2

// Files keeps the published file open between reads: to open it, and to load its catalogue and
// statistics, takes longer than most questions of a page. A reader of an earlier version is closed as
// soon as it is idle. Dir is set before the first Read.
type Files struct {
	Dir string // the data directory

	mu      sync.Mutex
	version os.FileInfo // of the idle readers
	idle    []*warehouse.Warehouse
	closed  bool
}

// Read lets ask read the version that is published when it is called, within the bounds of Read of this
// package. Its errors are those of warehouse.Open and of ask; a reader on which ask failed is closed.
func (f *Files) Read(ctx context.Context, ask func(context.Context, *warehouse.Warehouse) error) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	w, version, err := f.take(ctx)
	if err != nil {
		return err
	}
	keep := false
	defer func() { f.put(w, version, keep) }() // also if ask panics
	err = ask(ctx, w)
	keep = err == nil
	return err
}

// take returns an idle reader of the published version, or opens one.
func (f *Files) take(ctx context.Context) (*warehouse.Warehouse, os.FileInfo, error) {
	version, _ := f.Refresh() // opening says in words what is wrong
	f.mu.Lock()
	if n := len(f.idle); n > 0 && Same(version, f.version) {
		w := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return w, version, nil
	}
	f.mu.Unlock()
	w, err := openBounded(ctx, warehouse.Path(f.Dir))
	return w, version, err
}

// put makes a reader idle again if it may be kept and its version is still the published one, and
// closes it otherwise.
func (f *Files) put(w *warehouse.Warehouse, version os.FileInfo, keep bool) {
	f.mu.Lock()
	if keep = keep && !f.closed && Same(version, f.version) && len(f.idle) < keptOpen; keep {
		f.idle = append(f.idle, w)
	}
	f.mu.Unlock()
	if !keep {
		w.Close() // of a file that was only read
	}
}

// Refresh closes the idle readers of earlier versions, and returns the identity of the published one, or
// the error of os.Stat.
func (f *Files) Refresh() (os.FileInfo, error) {
	version, err := os.Stat(warehouse.Path(f.Dir))
	if err != nil {
		version = nil
	}
	f.mu.Lock()
	var old []*warehouse.Warehouse
	if !Same(version, f.version) {
		old, f.idle, f.version = f.idle, nil, version
	}
	f.mu.Unlock()
	return version, errors.Join(err, closeAll(old))
}

// Close closes the idle readers; those in use are closed after their read. A later Read opens the file for
// itself alone.
func (f *Files) Close() error {
	f.mu.Lock()
	old := f.idle
	f.idle, f.closed = nil, true
	f.mu.Unlock()
	return closeAll(old)
}

func closeAll(all []*warehouse.Warehouse) (err error) {
	for _, w := range all {
		err = errors.Join(err, w.Close())
	}
	return err
}
