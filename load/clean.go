package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Clean removes what a crash left in the lake: files that were not finished, and fleets that
// no manifest names. Call it at the start, under the data directory's lock.
func Clean(dir string) error {
	err := filepath.WalkDir(lake(dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir() && strings.HasSuffix(path, part):
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
			m.forget(vessels)
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
