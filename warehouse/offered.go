package warehouse

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Version is a published file that is kept.
type Version struct {
	Run  string // its latest run
	Path string
	Info fs.FileInfo
}

// Offered lists the versions that others may read, the latest first: those that were published and
// that no rollback removed. A rebuild publishes another file for the same run.
func Offered(dir string) ([]Version, error) {
	vs, err := keptVersions(dir)
	if err != nil {
		return nil, err
	}
	out, err := readMarks(dir)
	if err != nil {
		return nil, err
	}
	published, _ := os.Stat(Path(dir)) // nil if nothing is published
	var all []Version
	for _, v := range vs {
		run := strings.TrimSuffix(filepath.Base(v.path), ".duckdb")
		if v.onlyBase() || v.onlyForRollback() || out[run] && !os.SameFile(v.info, published) {
			continue
		}
		all = append(all, Version{Run: run, Path: v.path, Info: v.info})
	}
	return all, nil
}

// IsPublished reports whether a file with this fingerprint was published in a data directory. In one
// without any fingerprint, as before the first run of this program, each file counts as published.
func IsPublished(dir, fingerprint string) (bool, error) {
	known, err := readFingerprints(dir)
	return known == nil || known[fingerprint], err
}

// LatestRun opens a published file and returns the id of its latest run and its latest snapshot date;
// both are empty in a file without a run. Its errors are those of Open.
func LatestRun(ctx context.Context, path string) (run, date string, err error) {
	runs, date, err := runsOf(ctx, path)
	if err != nil {
		return "", "", fmt.Errorf("latest run: %w", err)
	}
	for id := range runs {
		run = max(run, id)
	}
	return run, date, nil
}
