package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Prepare makes a file that was built aside ready to take the place of the published one.
// Beside it lies what its directory of versions shall hold: itself, the version that a next
// run of its last night is built on, and what is published now, so that a person can go back.
// It changes nothing in dir.
func Prepare(ctx context.Context, dir, aside string) error {
	vs, err := kept(aside)
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
		return flush(versions(aside)) // nothing to go back to
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
	return flush(versions(aside))
}

// Promote puts a file that Prepare has made ready, and its versions, in the place of the
// published one, and says what it removed beside it. Readers see the one or the other. A crash
// leaves a state from which the same call goes on.
func Promote(dir, aside string) (said []string, err error) {
	if err := os.MkdirAll(filepath.Dir(Path(dir)), 0o755); err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	if err := promoteFingerprints(dir, aside); err != nil {
		return nil, err
	}
	if said, err = clearBeside(dir); err != nil {
		return said, err
	}
	if err := Swap(versions(aside), versions(dir), filepath.Join(aside, "versions.old")); err != nil {
		return said, err
	}
	if _, err := os.Stat(Path(aside)); err == nil {
		if err := replace(Path(aside), Path(dir)); err != nil {
			return said, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return said, fmt.Errorf("adopt: %w", err)
	}
	out, err := readMarks(aside)
	if err != nil {
		return said, err
	}
	return said, writeMarks(dir, out)
}

// promoteFingerprints lets the files that were built aside count as published. What is there
// keeps its own: it goes on as a version.
func promoteFingerprints(dir, aside string) error {
	vs, err := kept(aside)
	if err != nil {
		return err
	}
	paths := []string{Path(aside)}
	for _, v := range vs {
		paths = append(paths, v.path)
	}
	return remember(dir, paths...)
}

// Swap puts a directory in the place of another, which then has the name old. When it is done
// it does nothing, so that it can be called again after a crash anywhere.
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
	return errors.Join(flush(filepath.Dir(from)), flush(filepath.Dir(to)))
}
