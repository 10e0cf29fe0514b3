package load

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Clean removes what a crash left in the lake of a data directory: unfinished files, and files of
// vessels that no manifest names or that a later run of the night has replaced. Without a lake it
// does nothing. Call it at the start, under the data directory's lock. It returns ErrNewer if a
// manifest that it must change is from a newer program; its other errors are those of the file
// system, after which the next Clean continues.
func Clean(dir string) error {
	err := filepath.WalkDir(lake(dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir() && strings.HasSuffix(path, durable.Part):
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("clean lake: %w", err)
	}
	nights, err := os.ReadDir(filepath.Join(lake(dir), vessels))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clean lake: %w", err)
	}
	for _, night := range nights {
		if date, ok := strings.CutPrefix(night.Name(), "snapshot_date="); ok {
			if err := keepLatestFleet(dir, date); err != nil {
				return fmt.Errorf("clean lake: %w", err)
			}
		}
	}
	return nil
}

// Drop removes the lake files that a manifest names, for a run that is not to be published: readers
// of the directories would count them. The manifest itself is not on disk, because only Publish
// writes it. A file that is absent is no error; the errors are those of the file system.
func Drop(dir string, m Manifest) error {
	for _, f := range m.Files {
		err := os.Remove(filepath.Join(lake(dir), filepath.FromSlash(f.Path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop run %s: %w", m.Run.ID, err)
		}
	}
	return nil
}

// Missing lists what the lake lacks of published runs, a line each: manifests that are absent or
// unreadable, and files that they name, by their sizes. It opens no files but the manifests. It
// returns ErrNewer if a newer program wrote one of them; its other errors are those of the file
// system.
func Missing(dir string, published map[string]bool) (missing []string, err error) {
	for _, run := range slices.Sorted(maps.Keys(published)) {
		path := filepath.Join(manifests(dir), run+".json")
		m, err := readManifest(path)
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		for _, f := range m.Files {
			info, err := os.Stat(filepath.Join(lake(dir), filepath.FromSlash(f.Path)))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				missing = append(missing, f.Path+" is missing")
			case err != nil:
				return nil, fmt.Errorf("look for %s: %w", f.Path, err)
			case info.Size() != f.Bytes:
				missing = append(missing, fmt.Sprintf("%s has %d bytes, its manifest has %d", f.Path, info.Size(), f.Bytes))
			}
		}
	}
	return missing, nil
}

// Outdated lists the published runs, in their order, whose lake files have other columns or values than this
// program writes: an older or a different version wrote them. It returns ErrNewer if a newer
// program wrote a manifest. Every manifest must be readable; Missing finds those that are not.
func Outdated(dir string, published map[string]bool) (runs []string, err error) {
	current := SchemaID()
	for _, run := range slices.Sorted(maps.Keys(published)) {
		m, err := readManifest(filepath.Join(manifests(dir), run+".json"))
		if err != nil {
			return nil, err
		}
		if m.Schema != current {
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// keepLatestFleet leaves a night one file of vessels, that of its latest run: a reader of the
// directory would count every vessel twice. An older manifest forgets its file first.
func keepLatestFleet(dir, date string) error {
	night := filepath.Join(lake(dir), vessels, "snapshot_date="+date)
	files, err := os.ReadDir(night) // sorted by run
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	found := false
	for i := len(files) - 1; i >= 0; i-- {
		run, ok := strings.CutSuffix(files[i].Name(), ".parquet")
		if !ok {
			continue
		}
		path := filepath.Join(manifests(dir), run+".json")
		_, err := os.Stat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !found {
			found = true
			continue
		}
		if err == nil {
			m, err := readManifest(path)
			if err != nil {
				return err
			}
			m.dropFile(vessels)
			if err := m.write(dir); err != nil {
				return err
			}
		}
		if err := os.Remove(filepath.Join(night, files[i].Name())); err != nil {
			return err
		}
	}
	return nil
}
