package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/fleetlake/fleetlake/warehouse"
)

// ErrTarget says that the target of an export has files, and not those of an earlier export.
var ErrTarget = errors.New("the target is not empty and no earlier export: choose another directory")

// ErrEmpty says that an export would leave nothing of an earlier one.
var ErrEmpty = errors.New("the data directory has no published run, and the earlier export has files: is it the right data directory?")

// errMoved says that a publish changed the lake while it was copied.
var errMoved = errors.New("runs were published meanwhile")

// mark is the file by which an export is recognised. It is written last.
const mark = "_fleetlake_export"

// exportTries is how often an export starts again because of a publish. A publish takes seconds.
const exportTries = 5

// Exported is what an export wrote, and which files of others it kept.
type Exported struct {
	Runs, Files int
	Bytes       int64
	Kept        []string // files of others, which stay where they were, as paths within the target
	Changed     []string // files of the earlier export that were changed since, under their new names
}

// Export copies the lake files of the published runs, with their manifests, to a directory:
// whole or not at all. Of an earlier export it replaces what that export wrote, and keeps the
// rest. With ErrEmpty it refuses to replace
// an export by nothing, unless allowEmpty; with ErrTarget, to touch a directory that is no export.
func Export(ctx context.Context, dir, target string, allowEmpty bool) (done Exported, err error) {
	if target, err = filepath.Abs(target); err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	if linked, err := filepath.EvalSymlinks(target); err == nil {
		target = linked
	}
	earlier, err := exportAt(target)
	if err != nil {
		return Exported{}, fmt.Errorf("export to %s: %w", target, err)
	}
	if err := makeDir(filepath.Dir(target)); err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	scratch, remove, err := Scratch(filepath.Dir(target), ".fleetlake-exporting-")
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	temporary := filepath.Join(scratch, filepath.Base(target))
	for try := 1; ; try++ {
		if done, err = copyLake(ctx, dir, temporary); err == nil {
			break
		}
		if moved := errors.Is(err, errMoved) || errors.Is(err, fs.ErrNotExist); !moved || try == exportTries {
			return Exported{}, fmt.Errorf("export: %w", err)
		}
		if err := os.RemoveAll(temporary); err != nil {
			return Exported{}, fmt.Errorf("export: %w", err)
		}
	}
	if done.Files == 0 && len(earlier.files) > 0 && !allowEmpty {
		return Exported{}, fmt.Errorf("export to %s: %w", target, ErrEmpty)
	}
	if err := writeFile(filepath.Join(temporary, mark), []byte("written by fleetlake export, which replaces the files that its manifests list\n")); err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	err = done.swap(temporary, target, earlier)
	return done, err
}

// unusedName returns an unused name beside the target.
func unusedName(target string) string {
	return filepath.Join(filepath.Dir(target), ".fleetlake-export-"+rand.Text())
}

// copyLake copies the lake files of all published runs to a new directory, as of one moment. It
// returns errMoved if a publish came between.
func copyLake(ctx context.Context, dir, to string) (done Exported, err error) {
	runs, err := warehouse.PublishedRuns(ctx, dir)
	if err != nil {
		return Exported{}, err
	}
	known, err := Manifests(dir)
	if err != nil {
		return Exported{}, err
	}
	for id := range runs {
		m, ok := known[id]
		if !ok {
			return Exported{}, fmt.Errorf("run %s: %w", id, ErrLake)
		}
		if err := done.copyRun(ctx, dir, to, m); err != nil {
			return Exported{}, fmt.Errorf("run %s: %w", id, err)
		}
	}
	now, err := Manifests(dir)
	for id := range runs {
		if err == nil && !reflect.DeepEqual(known[id], now[id]) {
			err = fmt.Errorf("run %s: %w", id, errMoved)
		}
	}
	return done, err
}

// copyRun copies the files of one run, and its manifest after them.
func (e *Exported) copyRun(ctx context.Context, dir, target string, m Manifest) error {
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyVerified(filepath.Join(lake(dir), filepath.FromSlash(f.Path)), filepath.Join(target, filepath.FromSlash(f.Path)), f); err != nil {
			return err
		}
		e.Files++
		e.Bytes += f.Bytes
	}
	e.Runs++
	name := m.Run.ID + ".json"
	b, err := os.ReadFile(filepath.Join(manifests(dir), name))
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(target, "_manifests", name), b)
}

// copyVerified copies a file, and refuses one that differs from its manifest.
func copyVerified(from, to string, f File) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.abandon()
		return fmt.Errorf("copy %s: %w", f.Path, err)
	}
	if got := dst.digest(); got != f.SHA256 {
		dst.abandon()
		return fmt.Errorf("%s is damaged: SHA-256 %s, the manifest has %s", f.Path, got, f.SHA256)
	}
	return dst.commit()
}
