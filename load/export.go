package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrTarget says that the target of an export is something else.
var ErrTarget = errors.New("the target is not empty and no earlier export: choose another directory")

// mark is the file that tells an export from other directories.
const mark = "_fleetlake_export"

// Exported is what an export wrote.
type Exported struct {
	Runs, Files int
	Bytes       int64
}

// Export copies the lake files of the published runs, with their manifests, to a directory:
// whole or not at all. An earlier export is replaced whole.
func Export(ctx context.Context, dir, target string) (Exported, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	if err := replaceable(target); err != nil {
		return Exported{}, fmt.Errorf("export to %s: %w", target, err)
	}
	runs, err := published(ctx, dir)
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	known, err := Manifests(dir)
	if err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	temporary := target + part
	if err := os.RemoveAll(temporary); err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	defer os.RemoveAll(temporary)
	var done Exported
	for id := range runs {
		m, ok := known[id]
		if !ok {
			return Exported{}, fmt.Errorf("export run %s: %w", id, ErrLake)
		}
		if err := done.copyRun(ctx, dir, temporary, m); err != nil {
			return Exported{}, fmt.Errorf("export run %s: %w", id, err)
		}
	}
	if err := writeFile(filepath.Join(temporary, mark), []byte("written by fleetlake export, which replaces this directory as a whole\n")); err != nil {
		return Exported{}, fmt.Errorf("export: %w", err)
	}
	return done, swap(temporary, target)
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

// copyVerified copies a file, and refuses one that is not what its manifest says.
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

// replaceable reports whether a target is absent, empty, or an earlier export.
func replaceable(target string) error {
	entries, err := os.ReadDir(target)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == mark }):
		return nil
	}
	return ErrTarget
}

// swap puts the new directory in the place of the old one. A crash between the two renames
// leaves the old one under another name.
func swap(temporary, target string) error {
	old := target + ".old"
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	if err := os.Rename(temporary, target); err != nil {
		return errors.Join(fmt.Errorf("export: %w", err), os.Rename(old, target))
	}
	if err := syncDir(filepath.Dir(target)); err != nil {
		return err
	}
	return os.RemoveAll(old)
}
