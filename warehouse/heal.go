package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// IsDamaged reports whether an error comes from a file that is no complete database, or from a
// block with a wrong checksum.
func IsDamaged(err error) bool {
	return err != nil && (errors.Is(err, ErrDamaged) || damaged(err))
}

// Heal reads every block of the published file and of each version, and moves damaged files to
// warehouse/damaged, which nothing reads. The latest undamaged version replaces a damaged published
// file; if there is none, nothing is published any more. The runs that are then missing can be
// published again. It returns the new paths of the damaged files, also with an error. Damage is no
// error; a file that another program has open for writing is one, and so are those of the file
// system. The caller has locked the data directory.
func Heal(ctx context.Context, dir string) (aside []string, err error) {
	files, err := publishedFiles(dir)
	if err != nil {
		return nil, err
	}
	lost := false
	for _, path := range append(files[1:], files[0]) { // the published file last: after a crash before it, the next start finds it
		err := readable(ctx, path)
		if err == nil || errors.Is(err, ErrNone) {
			continue
		}
		if !IsDamaged(err) {
			return aside, fmt.Errorf("look for damage: %w", err)
		}
		to, err := moveAside(dir, path)
		if err != nil {
			return aside, err
		}
		aside, lost = append(aside, to), lost || path == Path(dir)
	}
	if !lost {
		return aside, nil
	}
	return aside, publishLatest(ctx, dir)
}

// publishLatest publishes the latest version without a run that a rollback removed.
func publishLatest(ctx context.Context, dir string) error {
	vs, err := keptVersions(dir)
	if err != nil {
		return err
	}
	out, err := readMarks(dir)
	if err != nil {
		return err
	}
	for _, v := range vs {
		if v.onlyBase() || v.onlyForRollback() {
			continue
		}
		runs, _, err := runsOf(ctx, v.path)
		if err != nil {
			return fmt.Errorf("publish an earlier version: %w", err)
		}
		if !containsAny(runs, out) {
			return publishVersion(dir, v.path)
		}
	}
	return nil
}

// readable reads every block of a file.
func readable(ctx context.Context, path string) error {
	w, err := Open(ctx, path, Options{MemoryMiB: DefaultMemoryMiB, Threads: DefaultThreads})
	if err != nil {
		return err
	}
	err = w.ReadAll(ctx)
	return errors.Join(err, w.Close())
}

// moveAside moves a file to warehouse/damaged, under a name that is not in use, and returns it.
func moveAside(dir, path string) (string, error) {
	below := filepath.Join(dir, "warehouse", "damaged")
	if err := durable.MkdirAll(below, 0o750); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	for n := 1; ; n++ {
		to := filepath.Join(below, fmt.Sprintf("%s-%d.duckdb", strings.TrimSuffix(filepath.Base(path), ".duckdb"), n))
		err := os.Link(path, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = errors.Join(durable.SyncDir(below), os.Remove(path), durable.SyncDir(filepath.Dir(path)))
		}
		if err != nil {
			return "", fmt.Errorf("set aside: %w", err)
		}
		return to, nil
	}
}

// MarkRolledBack marks runs as rolled back in a warehouse that was built in the directory aside,
// instead of those that are marked there. Promote keeps the marks. Its errors are those of the file
// system.
func MarkRolledBack(aside string, runs map[string]bool) error {
	return writeMarks(aside, runs)
}
