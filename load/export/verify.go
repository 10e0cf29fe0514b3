package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
)

// VerifyOptions are how much a check reads.
type VerifyOptions struct {
	Hash     bool           // read every file, and compare its SHA-256 and its rows
	Progress func(Progress) // may be nil
}

// Verified is what a check found.
type Verified struct {
	OK         bool     `json:"ok"`
	Export     string   `json:"export,omitempty"`
	Files      int      `json:"files"` // listed
	Bytes      int64    `json:"bytes"`
	Wrong      []string `json:"wrong"`      // of the listed files
	Superseded int      `json:"superseded"` // not listed any more, and not yet removed
	Unlisted   []string `json:"unlisted"`   // of an export that was interrupted: the next one uses them
	Strangers  []string `json:"strangers"`  // not of an export
}

// Verify compares a store with its manifest in force: that every file is there with its size and is listed
// once, and on demand its content. It changes nothing. What is wrong is in the answer; errors are those of the
// store, and of the scratch directory in the data directory.
func Verify(ctx context.Context, dir string, s store.Store, o VerifyOptions) (Verified, error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	v := &verification{dir: dir, store: s, o: o}
	if err := v.run(ctx); err != nil {
		return Verified{}, fmt.Errorf("verify export: %w", err)
	}
	v.found.OK = len(v.found.Wrong) == 0
	return v.found, nil
}

type verification struct {
	dir   string
	store store.Store
	o     VerifyOptions
	found Verified
}

func (v *verification) wrong(format string, args ...any) {
	v.found.Wrong = append(v.found.Wrong, fmt.Sprintf(format, args...))
}

func (v *verification) run(ctx context.Context) error {
	v.o.Progress(Progress{Phase: "check"})
	v.found = Verified{Wrong: []string{}, Unlisted: []string{}, Strangers: []string{}}
	t, err := readTarget(ctx, v.store)
	if err != nil {
		return err
	}
	if t.version == "" {
		v.wrong("there is no current.json: `fleetlake export` writes one")
	}
	v.found.Export = t.current.Export
	for path, bytes := range t.current.paths() {
		v.file(t, path, bytes)
	}
	for _, d := range t.current.Documents {
		v.file(t, d.Path, d.Bytes)
	}
	v.once(t.current)
	if err := v.others(ctx, t); err != nil {
		return err
	}
	if v.o.Hash {
		if err := v.contents(ctx, t.current); err != nil {
			return err
		}
	}
	slices.Sort(v.found.Wrong)
	return nil
}

// file checks that a listed file is there with its size.
func (v *verification) file(t *target, path string, bytes int64) {
	v.found.Files++
	v.found.Bytes += bytes
	switch size, ok := t.present[path]; {
	case !ok:
		v.wrong("%s is missing: `fleetlake export` uploads it again", path)
	case size != bytes:
		v.wrong("%s has %d bytes, current.json has %d: remove it, and `fleetlake export` uploads it again", path, size, bytes)
	}
}

// once checks that the rows of each run and table are listed once.
func (v *verification) once(m Manifest) {
	seen := map[runTable]string{}
	for _, f := range m.Files {
		sources := f.Sources
		if len(sources) == 0 {
			sources = []Source{{Run: f.Run}}
		}
		for _, s := range sources {
			key := runTable{s.Run, f.Table}
			if other, twice := seen[key]; twice {
				v.wrong("%s and %s both have the rows of run %s", other, f.Path, s.Run)
			}
			seen[key] = f.Path
		}
	}
}

// others classifies what the manifest in force does not list.
func (v *verification) others(ctx context.Context, t *target) error {
	earlier, err := readManifests(ctx, v.store, t)
	if err != nil {
		return err
	}
	known := map[string]bool{currentKey: true}
	for _, m := range earlier {
		for path := range m.paths() {
			known[path] = true
		}
		for _, d := range m.Documents {
			known[d.Path] = true
		}
	}
	listed := t.current.paths()
	for _, key := range slices.Sorted(maps.Keys(t.present)) {
		_, now := listed[key]
		switch {
		case now || key == currentKey || strings.HasPrefix(key, manifestsKey) || strings.HasPrefix(key, pinsKey) || strings.HasPrefix(key, icebergKey):
		case known[key] && !isDocument(key):
			v.found.Superseded++
		case known[key]:
		case written.MatchString(key):
			v.found.Unlisted = append(v.found.Unlisted, key)
		default:
			v.found.Strangers = append(v.found.Strangers, key)
		}
	}
	return nil
}

// contents reads every listed file, and compares its SHA-256 and its rows.
func (v *verification) contents(ctx context.Context, m Manifest) (err error) {
	scratch, remove, err := scratchDir(v.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	w, err := warehouse.Open(ctx, warehouse.Path(v.dir), warehouse.Options{MemoryMiB: defaultMemoryMiB})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	now := Progress{Phase: "check", AllFiles: v.found.Files, AllBytes: v.found.Bytes}
	check := func(path string, bytes int64, sum string, rows int64) error {
		v.o.Progress(now)
		now.Files++
		now.Bytes += bytes
		return v.content(ctx, w, path, sum, rows, filepath.Join(scratch, "checked"))
	}
	for _, f := range m.Files {
		if err := check(f.Path, f.Bytes, f.SHA256, f.Rows); err != nil {
			return err
		}
	}
	for _, d := range m.Documents {
		if err := check(d.Path, d.Bytes, d.SHA256, -1); err != nil {
			return err
		}
	}
	if f := m.Warehouse; f != nil {
		return check(f.Path, f.Bytes, f.SHA256, -1)
	}
	return nil
}

// content compares one file. Rows below 0 are not counted.
func (v *verification) content(ctx context.Context, w *warehouse.Warehouse, path, want string, rows int64, copy string) error {
	body, _, err := v.store.Get(ctx, path)
	if errors.Is(err, store.ErrNotFound) {
		return nil // reported
	}
	if err != nil {
		return err
	}
	sum, err := save(body, copy)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if sum != want {
		v.wrong("%s has the SHA-256 %s, current.json has %s: remove it, and `fleetlake export` uploads it again", path, sum, want)
		return nil
	}
	if rows < 0 {
		return nil
	}
	n, err := w.ParquetRows(ctx, copy)
	if err != nil {
		return err
	}
	if n[copy] != rows {
		v.wrong("%s has %d rows, current.json has %d", path, n[copy], rows)
	}
	return nil
}

// save writes an object to a file, and returns its SHA-256.
func save(body io.ReadCloser, path string) (sum string, err error) {
	defer func() { err = errors.Join(err, body.Close()) }()
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, body); err != nil {
		return "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	_, sum, err = digest(f)
	return sum, err
}
