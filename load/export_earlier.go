package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// earlierExport is what an export finds in its target.
type earlierExport struct {
	files   map[string]File // by path within it, as its manifests list them
	written time.Time       // when it was complete
}

// exportAt reads the earlier export in a target, which may be absent or empty. Anything else
// is refused.
func exportAt(target string) (earlierExport, error) {
	e := earlierExport{files: map[string]File{}}
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	info, err := os.Lstat(filepath.Join(target, mark))
	if errors.Is(err, fs.ErrNotExist) {
		return e, ErrTarget
	}
	if err != nil {
		return e, err
	}
	e.written = info.ModTime()
	paths, err := filepath.Glob(filepath.Join(escaped(target), "_manifests", "*.json"))
	if err != nil {
		return e, err
	}
	for _, path := range paths {
		m, err := readManifest(path)
		if err != nil || m.Run.ID+".json" != filepath.Base(path) {
			continue // not one of our manifests
		}
		for _, f := range m.Files {
			e.files[filepath.FromSlash(f.Path)] = f
		}
	}
	return e, nil
}

// escaped returns a pattern that matches only this path.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// ownership says who wrote a file in an earlier export.
type ownership int

const (
	ours    ownership = iota // written by that export
	changed                  // written by it, and changed since
	theirs
)

// ownerOf returns who wrote a file of an earlier export. It does not read files that are older than
// the end of that export.
func (e earlierExport) ownerOf(root, path string) (ownership, error) {
	if path == mark {
		return ours, nil
	}
	info, err := os.Lstat(filepath.Join(root, path))
	if err != nil {
		return theirs, err
	}
	f, listed := e.files[path]
	switch {
	case filepath.Dir(path) == "_manifests" && !info.ModTime().After(e.written):
		m, err := readManifest(filepath.Join(root, path))
		if err == nil && m.Run.ID+".json" == filepath.Base(path) {
			return ours, nil
		}
		return theirs, nil
	case !listed:
		return theirs, nil
	case !info.Mode().IsRegular() || info.Size() != f.Bytes:
		return changed, nil
	case !info.ModTime().After(e.written):
		return ours, nil
	}
	_, sum, err := digest(filepath.Join(root, path))
	if err != nil || sum == f.SHA256 {
		return ours, err
	}
	return changed, nil
}

// swap replaces the old directory by the new one, and moves the files of others from the old one
// to the same place in the new one. A crash leaves the old directory beside the new one, under a
// name that begins with .fleetlake-export.
func (e *Exported) swap(temporary, target string, earlier earlierExport) error {
	old := unusedName(target)
	err := os.Rename(target, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	there := err == nil
	if err := os.Rename(temporary, target); err != nil {
		err = fmt.Errorf("export: %w", err)
		if there {
			err = errors.Join(err, os.Rename(old, target))
		}
		return err
	}
	if err := durable.SyncDir(filepath.Dir(target)); err != nil || !there {
		return err
	}
	if err := e.giveBack(old, target, earlier); err != nil {
		return fmt.Errorf("export: the new files are in %s; what others put into the earlier export is still in %s: %w", target, old, err)
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// giveBack moves files that no export wrote from the old directory to the same place in the new
// one.
func (e *Exported) giveBack(old, target string, earlier earlierExport) error {
	return filepath.WalkDir(old, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(old, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			inside, err := os.ReadDir(path)
			if err != nil || len(inside) > 0 {
				return err
			}
			return os.MkdirAll(filepath.Join(target, name), 0o755)
		}
		owner, err := earlier.ownerOf(old, name)
		if err != nil || owner == ours {
			return err
		}
		to := name
		if _, err := os.Lstat(filepath.Join(target, to)); err == nil || owner == changed {
			to = name + ".changed-" + time.Now().UTC().Format("20060102T150405.000000000Z")
		}
		if to == name {
			e.Kept = append(e.Kept, to)
		} else {
			e.Changed = append(e.Changed, to)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(target, to)), 0o755); err != nil {
			return err
		}
		return os.Rename(path, filepath.Join(target, to))
	})
}

// Notices reports the files of others, a line each.
func (e Exported) Notices() []string {
	var lines []string
	for _, path := range e.Kept {
		lines = append(lines, path+" was not exported, and stays where it is")
	}
	for _, path := range e.Changed {
		lines = append(lines, path+" was changed after its export, and is kept under this name")
	}
	slices.Sort(lines)
	return lines
}
