package warehouse

import (
	"context"
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

// rolledBackHeader is the top of the file that lists the runs which rollbacks removed.
const rolledBackHeader = `# Runs that a rollback removed from the published warehouse, one id a line. No start publishes
# them again, and no run continues them. They are still in the journal, and nothing of them
# is lost: ` + "`fleetlake rollback --undo` and `fleetlake rebuild`" + ` bring them back.
`

func rolledBackPath(dir string) string { return filepath.Join(dir, "warehouse", "rolled_back") }

// RolledBack returns the ids of the runs that rollbacks removed from the published warehouse. A
// crash in the middle of a rollback leaves marks of runs that are published: RolledBack ignores
// those. Its errors are those of the file system.
func RolledBack(dir string, published map[string]bool) (map[string]bool, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(marks, func(run string, _ bool) bool { return published[run] })
	return marks, nil
}

// readMarks returns the runs of the file, those that are published included.
func readMarks(dir string) (map[string]bool, error) {
	marks, err := readLines(rolledBackPath(dir))
	if err != nil {
		return nil, fmt.Errorf("read runs that were rolled back: %w", err)
	}
	if marks == nil {
		marks = map[string]bool{}
	}
	return marks, nil
}

// writeMarks replaces the file. Without runs it removes the file.
func writeMarks(dir string, runs map[string]bool) error {
	path := rolledBackPath(dir)
	if len(runs) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget runs that were rolled back: %w", err)
		}
		return syncIfThere(filepath.Dir(path))
	}
	text := rolledBackHeader + strings.Join(slices.Sorted(maps.Keys(runs)), "\n") + "\n"
	if err := durable.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write runs that were rolled back: %w", err)
	}
	return nil
}

// syncIfThere syncs a directory, unless it is missing.
func syncIfThere(dir string) error {
	if err := durable.SyncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ForgetRolledBack allows the runs that rollbacks removed to be published again, and returns their
// ids in order. Its errors are those of the file system.
func ForgetRolledBack(dir string) ([]string, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(marks)), writeMarks(dir, nil)
}

// RollbackResult is what a rollback did.
type RollbackResult struct {
	Version   string   // the file that is published now
	LatestRun string   // its latest run; empty if it has none
	Removed   []string // the runs that this version does not have, which no start publishes again
	Notices   []string // what was found beside the published file and removed
}

// Rollback publishes the version before the published one again, and marks the runs that this
// removes, so that the next start does not publish them. If the published file cannot be read, no
// run is marked: the next start publishes what the earlier version does not have. It returns
// ErrNoVersion if there is no earlier version; its other errors are those of the file system and of
// opening a version, and the same call can be made again after one. The caller has locked the data
// directory.
func Rollback(ctx context.Context, dir string) (RollbackResult, error) {
	marks, err := readMarks(dir)
	if err != nil {
		return RollbackResult{}, err
	}
	notices, err := removeLeftovers(dir)
	if err != nil {
		return RollbackResult{}, fmt.Errorf("roll back: %w", err)
	}
	before, _, err := runsOf(ctx, Path(dir))
	if err != nil && !openForWriting(err) && !errors.Is(err, ErrNone) && !errors.Is(err, ErrDamaged) {
		return RollbackResult{}, fmt.Errorf("roll back: %w", err)
	}
	maps.DeleteFunc(marks, func(run string, _ bool) bool { return before[run] })
	v, runs, err := versionBefore(ctx, dir, before, marks)
	if err != nil {
		return RollbackResult{}, err
	}
	done := RollbackResult{Version: v.path, Notices: notices}
	for run := range before {
		if !runs[run] {
			done.Removed, marks[run] = append(done.Removed, run), true
		}
	}
	for run := range runs {
		done.LatestRun = max(done.LatestRun, run)
	}
	slices.Sort(done.Removed)
	// The marks are written first: a crash between the two leaves marks of runs that are published,
	// which are ignored, and never a rollback that the next start undoes.
	if err := writeMarks(dir, marks); err != nil {
		return RollbackResult{}, err
	}
	return done, publishVersion(dir, v.path)
}

// versionBefore finds the version before the published one, and its runs. It skips versions with
// runs that an earlier rollback removed, and versions that only serve as the base of a build.
func versionBefore(ctx context.Context, dir string, before, out map[string]bool) (version, map[string]bool, error) {
	vs, err := keptVersions(dir)
	if err != nil {
		return version{}, nil, err
	}
	info, _ := os.Stat(Path(dir)) // nil if nothing is published
	at := slices.IndexFunc(vs, func(v version) bool { return info != nil && os.SameFile(v.info, info) })
	known, err := readFingerprints(dir)
	if err != nil {
		return version{}, nil, err
	}
	for _, v := range vs[at+1:] {
		if v.onlyBase() || !genuine(known, v.path) {
			continue
		}
		runs, _, err := runsOf(ctx, v.path)
		if errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return version{}, nil, fmt.Errorf("roll back: %w", err)
		}
		// If the published file is none of the versions, as after a restore from a backup, only its
		// runs say which versions are earlier.
		if containsAny(runs, out) || at < 0 && before != nil && (len(runs) >= len(before) || !subsetOf(runs, before)) {
			continue
		}
		return v, runs, nil
	}
	return version{}, nil, fmt.Errorf("roll back %s: %w", dir, ErrNoVersion)
}

// publishVersion replaces the published file by a version.
func publishVersion(dir, version string) error {
	temporary := rollbackPath(dir)
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("roll back: %w", err)
	}
	if err := os.Link(version, temporary); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return replace(temporary, Path(dir))
}

// containsAny reports whether some of the runs are in a set.
func containsAny(runs, some map[string]bool) bool {
	for run := range some {
		if runs[run] {
			return true
		}
	}
	return false
}

// subsetOf reports whether all runs are among others.
func subsetOf(runs, others map[string]bool) bool {
	for run := range runs {
		if !others[run] {
			return false
		}
	}
	return true
}
