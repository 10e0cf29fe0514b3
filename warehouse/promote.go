package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Prepare makes the file that was built in the directory aside ready to replace the published one
// of dir. It leaves three versions in aside: the file itself, the version that the next run of its
// last night builds on, and the file that is published now, for Rollback, if it is readable and has
// runs. It changes nothing in dir. Its errors are those of the file system, and those of Open but
// ErrNone and ErrDamaged; after one, aside is built again.
func Prepare(ctx context.Context, dir, aside string) error {
	vs, err := keptVersions(aside)
	if err != nil {
		return err
	}
	info, err := os.Stat(Path(aside))
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	found := false
	for _, v := range vs { // the latest first
		switch {
		case os.SameFile(v.info, info):
			continue
		case found:
			err = os.Remove(v.path)
		default:
			found, err = true, os.Rename(v.path, filepath.Join(versions(aside), baseOnly+filepath.Base(v.path)))
		}
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	runs, _, err := runsOf(ctx, Path(dir))
	switch {
	case errors.Is(err, ErrNone), errors.Is(err, ErrDamaged), err == nil && len(runs) == 0:
		return durable.SyncDir(versions(aside)) // nothing to go back to
	case err != nil:
		return fmt.Errorf("prepare: %w", err)
	}
	last := ""
	for run := range runs {
		last = max(last, run)
	}
	if err := os.Link(Path(dir), filepath.Join(versions(aside), beforeRebuild+last+".duckdb")); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return durable.SyncDir(versions(aside))
}

// Promote replaces the published file and its versions by those that Prepare has made ready, and
// returns what it removed beside the file, a sentence each. Readers see the one or the other. After
// a crash or an error, which is one of the file system, the same call completes the work.
func Promote(dir, aside string) (notices []string, err error) {
	if err := durable.MkdirAll(filepath.Dir(Path(dir)), 0o755); err != nil {
		return nil, fmt.Errorf("promote: %w", err)
	}
	if err := promoteFingerprints(dir, aside); err != nil {
		return nil, err
	}
	if notices, err = removeLeftovers(dir); err != nil {
		return notices, err
	}
	if err := Swap(versions(aside), versions(dir), filepath.Join(aside, "versions.old")); err != nil {
		return notices, err
	}
	if _, err := os.Stat(Path(aside)); err == nil {
		if err := replace(Path(aside), Path(dir)); err != nil {
			return notices, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return notices, fmt.Errorf("promote: %w", err)
	}
	out, err := readMarks(aside)
	if err != nil {
		return notices, err
	}
	return notices, writeMarks(dir, out)
}

// promoteFingerprints records the files that were built aside as published. The published file
// keeps its fingerprint: it becomes a version.
func promoteFingerprints(dir, aside string) error {
	paths, err := publishedFiles(aside)
	if err != nil {
		return err
	}
	return recordFingerprints(dir, paths...)
}

// Swap replaces the directory to by the directory from, and renames what was at to, if anything, to
// old. All three are on one file system. If from is absent it does nothing, so that it can be
// called again after a crash anywhere. Its errors are those of the file system.
func Swap(from, to, old string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // done before
	} else if err != nil {
		return fmt.Errorf("swap: %w", err)
	}
	if err := os.Rename(to, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("swap: %w", err)
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("swap: %w", err)
	}
	return errors.Join(durable.SyncDir(filepath.Dir(from)), durable.SyncDir(filepath.Dir(to)))
}
