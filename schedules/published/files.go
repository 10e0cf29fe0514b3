package published

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/fleetlake/fleetlake/schedules/listen/times"
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

	mu       sync.Mutex
	version  os.FileInfo // of the idle readers
	idle     []openFile  // those that Prepare opened last
	prepared int         // readers of this version that Prepare opened and that are not closed
	failed   bool        // Prepare cannot prepare this version
	closed   bool
}

// openFile is the published file, open for one Read at a time. What Prepare opened is prepared.
type openFile struct {
	*warehouse.Warehouse
	version  os.FileInfo
	prepared bool
}

// Read lets ask read the version that is published when it is called, within the bounds of Read of this
// package. Its errors are those of warehouse.Open and of ask; a reader on which ask failed is closed.
func (f *Files) Read(ctx context.Context, ask func(context.Context, *warehouse.Warehouse) error) error {
	ctx, cancel := context.WithTimeout(ctx, times.Read)
	defer cancel()
	r, err := f.take(ctx)
	if err != nil {
		return err
	}
	keep := false
	defer func() { f.put(r, keep) }() // also if ask panics
	err = ask(ctx, r.Warehouse)
	keep = err == nil
	return err
}

// Prepare opens readers of the published version, lets ready prepare each, and keeps them in the place of
// idle ones that are not prepared. It does nothing while as many as are kept are there, and nothing more for a
// version that ready could not prepare. The others serve until then. Its errors are those of os.Stat,
// warehouse.Open and ready.
func (f *Files) Prepare(ctx context.Context, ready func(context.Context, *warehouse.Warehouse) error) error {
	for {
		version, err := f.Refresh()
		if err != nil || !f.lacks() {
			return err
		}
		w, err := openBounded(ctx, warehouse.Path(f.Dir))
		if err != nil {
			return err
		}
		if err = ready(ctx, w); err != nil {
			f.mu.Lock()
			f.failed = f.failed || Same(version, f.version) && ctx.Err() == nil
			f.mu.Unlock()
			return errors.Join(err, w.Close())
		}
		f.mu.Lock()
		if Same(version, f.version) {
			f.prepared++
		}
		f.mu.Unlock()
		f.put(openFile{w, version, true}, true)
	}
}

// lacks reports whether another reader is to be prepared.
func (f *Files) lacks() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.closed && !f.failed && f.prepared < keptOpen
}

// take returns an idle reader of the published version, or opens one.
func (f *Files) take(ctx context.Context) (openFile, error) {
	version, _ := f.Refresh() // opening says in words what is wrong
	f.mu.Lock()
	if n := len(f.idle); n > 0 && Same(version, f.version) {
		r := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return r, nil
	}
	f.mu.Unlock()
	w, err := openBounded(ctx, warehouse.Path(f.Dir))
	return openFile{w, version, false}, err
}

// put makes a reader idle again if it may be kept and its version is still the published one, and
// closes it otherwise. One that is prepared takes the place of one that is not.
func (f *Files) put(r openFile, keep bool) {
	f.mu.Lock()
	current := Same(r.version, f.version)
	keep = keep && current && !f.closed
	surplus := r
	switch {
	case keep && len(f.idle) < keptOpen && r.prepared:
		f.idle, surplus = append(f.idle, r), openFile{}
	case keep && len(f.idle) < keptOpen:
		f.idle, surplus = slices.Insert(f.idle, 0, r), openFile{}
	case keep && r.prepared && !f.idle[0].prepared:
		surplus, f.idle = f.idle[0], append(f.idle[1:], r)
	}
	if surplus.prepared && current {
		f.prepared--
	}
	f.mu.Unlock()
	if surplus.Warehouse != nil {
		surplus.Close() // of a file that was only read
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
	var old []openFile
	if !Same(version, f.version) {
		old, f.idle, f.version, f.prepared, f.failed = f.idle, nil, version, 0, false
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

func closeAll(all []openFile) (err error) {
	for _, r := range all {
		err = errors.Join(err, r.Close())
	}
	return err
}
