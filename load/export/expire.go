package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
)

// DefaultGrace is how long a file that is no longer listed stays: a reader of an earlier manifest ends
// within it.
const DefaultGrace = 7 * 24 * time.Hour

// ExpireOptions are what an expiry removes.
type ExpireOptions struct {
	Grace     time.Duration // since a file is no longer listed; 0 is DefaultGrace
	KeepFacts time.Duration // nights that are older than the latest by more leave the list; 0 keeps all
	Unlisted  bool          // also remove facts of runs that the export no longer lists: they may be the last copies
	DryRun    bool

	Program  string
	Now      func() time.Time // nil is the clock
	Progress func(Progress)   // may be nil
}

// Expired is what an expiry did, or would do.
type Expired struct {
	Export     string   `json:"export,omitempty"` // the id of the new manifest; empty if nothing changed
	DryRun     bool     `json:"dry_run,omitempty"`
	FactsSince string   `json:"facts_since,omitempty"` // the first night that stays listed
	Unlisted   int      `json:"unlisted"`              // files of older nights that leave the list now
	Files      int      `json:"files"`                 // removed
	Bytes      int64    `json:"bytes"`
	Waiting    int      `json:"waiting"`     // not listed, and within the grace period
	Pinned     int      `json:"pinned"`      // not listed, and another index needs them
	LastCopies int      `json:"last_copies"` // facts of runs that the export no longer lists, and that stay
	Manifests  int      `json:"manifests"`
	Removed    []Upload `json:"removed,omitempty"`
	Notices    []string `json:"notices,omitempty"`
	Requests   int64    `json:"requests"`
	Seconds    float64  `json:"seconds"`
}

// expiry is one expiry.
type expiry struct {
	store *counting
	o     ExpireOptions
	now   time.Time
	last  []File // facts that stay because nothing has replaced them
	done  Expired
}

// Expire removes files which earlier manifests list and the one in force does not, once the grace period has passed,
// and completes an expiry that was killed. It never removes what no manifest lists, what is pinned, and, without
// Unlisted, facts of a run that the manifest in force does not have: nothing has replaced them, and they may be the
// last copies. With KeepFacts older nights leave the list first, and are removed later. Before it removes files it says so in current.json,
// so that an export at the same time does not rely on them. It returns the errors of the store.
func Expire(ctx context.Context, s store.Store, o ExpireOptions) (Expired, error) {
	began := time.Now()
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	x := &expiry{store: &counting{Store: s}, o: o, now: clock(o.Now)}
	var err error
	for try := 1; ; try++ {
		err = x.once(ctx)
		if !errors.Is(err, store.ErrChanged) || try == exportTries || ctx.Err() != nil {
			break
		}
	}
	x.done.Requests, x.done.Seconds = x.store.requests.Load(), time.Since(began).Seconds()
	if err != nil {
		return x.done, fmt.Errorf("expire: %w", err)
	}
	return x.done, nil
}

func (x *expiry) once(ctx context.Context) error {
	x.o.Progress(Progress{Phase: "plan"})
	t, err := readTarget(ctx, x.store)
	if err != nil {
		return err
	}
	if t.version == "" {
		return errors.New("there is no export: `fleetlake export` makes one")
	}
	earlier, err := readManifests(ctx, x.store, t)
	if err != nil {
		return err
	}
	next := x.retain(t.current)
	x.done = Expired{DryRun: x.o.DryRun, FactsSince: next.FactsSince, Unlisted: len(t.current.Files) - len(next.Files)}
	pins, err := readPins(ctx, x.store, t)
	if err != nil {
		return err
	}
	remove := x.removable(t, earlier, next, pins)
	x.noticeLastCopies(t)
	thin := x.thin(t, earlier, next, remove)
	announced := stillThere(slices.Clone(t.current.Expiring), t)
	if x.o.DryRun || len(remove)+len(thin)+len(announced) == 0 && x.done.Unlisted == 0 && next.FactsSince == t.current.FactsSince {
		return nil
	}
	next.Expiring = remove
	id, notices, err := publishNext(ctx, x.store, next, t, stamp{x.o.Program, x.now})
	x.done.Export, x.done.Notices = id, append(x.done.Notices, notices...)
	if err != nil {
		return err
	}
	return x.remove(ctx, t, remove, thin)
}

// retain drops the nights that are too old from the list.
func (x *expiry) retain(m Manifest) Manifest {
	latest, err := time.Parse(time.DateOnly, m.SnapshotDate)
	if x.o.KeepFacts == 0 || err != nil {
		return m
	}
	m.FactsSince = max(m.FactsSince, latest.Add(-x.o.KeepFacts).Format(time.DateOnly))
	var files []File
	runs := map[string]bool{}
	for _, f := range m.Files {
		if last := max(f.Last, f.SnapshotDate); f.Facts() && last < m.FactsSince {
			continue
		}
		files = append(files, f)
		if f.Facts() {
			runs[f.Run] = true
		}
		for _, s := range f.Sources {
			runs[s.Run] = true
		}
	}
	m.Files = files
	m.Runs = slices.DeleteFunc(slices.Clone(m.Runs), func(r ListedRun) bool { return !runs[r.Run] })
	return m
}

// removable lists the files that earlier manifests list, that are not listed now and whose grace period has
// passed, or which an expiry that was killed has announced to remove.
func (x *expiry) removable(t *target, earlier []storedManifest, next Manifest, pins map[string]bool) (remove []string) {
	listed, facts := next.paths(), factsOf(earlier)
	x.last = nil
	for path, since := range unlistedSince(earlier, t.current) {
		size, there := t.present[path]
		_, needed := listed[path]
		switch {
		case !there || needed:
		case pins[path]:
			x.done.Pinned++
		case !x.o.Unlisted && lastCopy(facts[path], next):
			x.last = append(x.last, facts[path])
		case slices.Contains(t.current.Expiring, path): // whatever the grace period was then, and is now
			x.takes(&remove, path, size)
		case since.IsZero() || x.now.Sub(since) < x.o.Grace:
			x.done.Waiting++
		default:
			x.takes(&remove, path, size)
		}
	}
	slices.Sort(remove)
	slices.SortFunc(x.done.Removed, func(a, b Upload) int { return strings.Compare(a.Path, b.Path) })
	return remove
}

// factsOf returns the files of facts that manifests list, by their paths.
func factsOf(manifests []storedManifest) map[string]File {
	facts := map[string]File{}
	for _, m := range manifests {
		for _, f := range m.Files {
			if f.Facts() {
				facts[f.Path] = f
			}
		}
	}
	return facts
}

// lastCopy reports whether a file has facts of a run that a manifest does not list, although its night was not
// dropped because of its age. The zero file has no facts.
func lastCopy(f File, next Manifest) bool {
	sources := f.Sources
	if len(sources) == 0 && f.Run != "" {
		sources = []Source{{Run: f.Run, SnapshotDate: f.SnapshotDate}}
	}
	return slices.ContainsFunc(sources, func(s Source) bool {
		listed := slices.ContainsFunc(next.Runs, func(r ListedRun) bool { return r.Run == s.Run })
		return !listed && s.SnapshotDate >= next.FactsSince
	})
}

// noticeLastCopies says which nights an expiry leaves in the store although the export no longer lists them.
func (x *expiry) noticeLastCopies(t *target) {
	x.done.LastCopies = len(x.last)
	if len(x.last) == 0 {
		return
	}
	slices.SortFunc(x.last, func(a, b File) int { return strings.Compare(a.night(), b.night()) })
	var bytes int64
	for _, f := range x.last {
		bytes += t.present[f.Path]
	}
	first, end := x.last[0], x.last[len(x.last)-1]
	x.done.Notices = append(x.done.Notices, fmt.Sprintf("%d files with facts (%d bytes, nights %s to %s) stay although they are no longer listed: "+
		"the export has no run that replaces them, and they may be the last copies; `fleetlake export expire --unlisted` removes them, too",
		len(x.last), bytes, first.night(), cmp.Or(end.Last, end.SnapshotDate)))
}

// takes adds a file to those that are removed.
func (x *expiry) takes(remove *[]string, path string, size int64) {
	*remove = append(*remove, path)
	x.done.Files++
	x.done.Bytes += size
	x.done.Removed = append(x.done.Removed, Upload{path, size})
}

// thin lists the manifests that are older than the grace period and list no file that waits for its
// removal.
func (x *expiry) thin(t *target, earlier []storedManifest, next Manifest, remove []string) (keys []string) {
	listed := next.paths()
	for _, m := range earlier {
		if m.Export == t.current.Export || x.now.Sub(m.At) < x.o.Grace {
			continue
		}
		needed := false
		for path := range m.paths() {
			_, there := t.present[path]
			_, now := listed[path]
			needed = needed || there && !now && !slices.Contains(remove, path)
		}
		if !needed {
			keys = append(keys, m.key)
		}
	}
	x.done.Manifests = len(keys)
	return keys
}

// remove removes files, unless they were pinned meanwhile, and then the manifests that listed them.
func (x *expiry) remove(ctx context.Context, t *target, files, manifests []string) error {
	pins, err := readPins(ctx, x.store, nil)
	if err != nil {
		return err
	}
	kept := false
	for i, path := range files {
		x.o.Progress(Progress{Phase: "remove", Files: i, AllFiles: len(files)})
		if pins[path] {
			kept = true
			continue
		}
		if err := x.store.Delete(ctx, path); err != nil {
			return err
		}
	}
	if kept {
		return nil // a manifest may be the last that lists a pinned file
	}
	for _, key := range manifests {
		if err := x.store.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// stillThere returns the paths that the store has, each once.
func stillThere(paths []string, t *target) []string {
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool { _, ok := t.present[path]; return !ok })
}
