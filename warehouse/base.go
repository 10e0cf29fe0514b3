package warehouse

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// Bases are the published file of a data directory and its versions, to build on. What was read of a
// file is not read again: a publish asks for the runs of the published file, and then for a base, perhaps
// more than once. The caller has locked the data directory.
type Bases struct {
	dir  string
	read map[string]contents // by path
}

// contents is what is known of a file: its runs and latest night, or why they cannot be read.
type contents struct {
	runs   map[string]bool
	latest string // YYYY-MM-DD; empty without runs
	err    error
}

// FindBases returns the bases of a data directory. It reads nothing yet.
func FindBases(dir string) *Bases { return &Bases{dir: dir, read: map[string]contents{}} }

// contents reads a file, unless it was read before, or this process has built it.
func (b *Bases) contents(ctx context.Context, path string) contents {
	c, known := b.read[path]
	if known {
		return c
	}
	print, err := fingerprint(path)
	if c, known = finished.of(print); err != nil || !known {
		c = contents{}
		c.runs, c.latest, c.err = runsOf(ctx, path)
	}
	b.read[path] = c
	return c
}

// finished are the contents of the latest files that this process has built: a process that publishes night after
// night need not open them to know what they have. Damage to a block does not change the fingerprint: the build
// that reads it finds it.
var finished finishedFiles

// finishedFiles are the contents of files by their fingerprints, the latest last.
type finishedFiles struct {
	mu    sync.Mutex
	files []finishedFile
}

type finishedFile struct {
	print string
	contents
}

// of returns the contents of the file with a fingerprint, and whether they are known.
func (f *finishedFiles) of(print string) (contents, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := slices.IndexFunc(f.files, func(one finishedFile) bool { return one.print == print })
	if at < 0 {
		return contents{}, false
	}
	return f.files[at].contents, true
}

// add adds the contents of a finished file, and drops those of the oldest.
func (f *finishedFiles) add(ctx context.Context, w *Warehouse) error {
	print, err := fingerprint(w.path)
	if err != nil {
		return err
	}
	runs, latest, err := w.runs(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files = append(f.files, finishedFile{print, contents{runs: runs, latest: latest}})
	f.files = slices.Clone(f.files[max(0, len(f.files)-2*Versions):])
	return nil
}

// Published returns the ids of the runs whose answers are in the published file; nil if nothing is
// published. The error is one for which IsDamaged is true if the file cannot be read.
func (b *Bases) Published(ctx context.Context) (map[string]bool, error) {
	c := b.contents(ctx, Path(b.dir))
	if errors.Is(c.err, ErrNone) {
		return nil, nil
	}
	return c.runs, c.err
}

// Before finds the latest published file without rows of a night, YYYY-MM-DD, or of later ones, and
// returns its path and the ids of its runs. A build that starts from it and applies the night as a
// whole gives the same rows for one run as for five, in any order. A file with a run that was
// rolled back is no base. An empty path stands for a file without rows, on which everything can be
// built. Files that are absent, damaged or changed by another program are passed over; the errors
// are the others of Open, and those of the file system.
func (b *Bases) Before(ctx context.Context, date string) (path string, runs map[string]bool, err error) {
	vs, err := keptVersions(b.dir)
	if err != nil {
		return "", nil, err
	}
	out, err := readMarks(b.dir)
	if err != nil {
		return "", nil, err
	}
	known, err := readFingerprints(b.dir)
	if err != nil {
		return "", nil, err
	}
	candidates := []string{Path(b.dir)}
	for _, v := range vs {
		if !v.onlyForRollback() {
			candidates = append(candidates, v.path)
		}
	}
	for i, path := range candidates {
		if !genuine(known, path) { // changed by another program, or not there
			continue
		}
		c := b.contents(ctx, path)
		if i == 0 { // what is published is not rolled back
			maps.DeleteFunc(out, func(run string, _ bool) bool { return c.runs[run] })
		}
		if c.err == nil && c.latest < date && !containsAny(c.runs, out) {
			return path, c.runs, nil
		}
		if c.err != nil && !errors.Is(c.err, ErrNone) && !errors.Is(c.err, ErrDamaged) {
			return "", nil, c.err
		}
	}
	return "", map[string]bool{}, nil
}

// runsOf returns the runs of a file and its latest night.
func runsOf(ctx context.Context, path string) (runs map[string]bool, latest string, err error) {
	w, err := Open(ctx, path, Options{MemoryMiB: DefaultMemoryMiB, Threads: DefaultThreads})
	if err != nil {
		return nil, "", err
	}
	defer w.Close()
	return w.runs(ctx)
}

// runs returns the runs of the file and its latest night.
func (w *Warehouse) runs(ctx context.Context) (runs map[string]bool, latest string, err error) {
	if runs, err = w.Published(ctx); err == nil {
		err = unwrapped(w.db.QueryRowContext(ctx, statement("read/latest_night")).Scan(&latest))
	}
	return runs, latest, err
}
