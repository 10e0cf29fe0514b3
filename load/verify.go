package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// Promote replaces the lake of a data directory by the one that was built in the directory aside,
// which keeps the earlier one as lake.old. After a crash the same call completes the work, and
// after that it does nothing. Its errors are those of the file system.
func Promote(dir, aside string) error {
	return warehouse.Swap(lake(aside), lake(dir), filepath.Join(aside, "lake.old"))
}

// LakeFiles counts the good files that manifests name, and their bytes, and lists what is wrong in
// a lake.
type LakeFiles struct {
	Files    int
	Bytes    int64
	Problems []string // a line each
}

// VerifyLake reads every file that a manifest names, compares it with its size and SHA-256, and
// looks for files that no manifest names. known has the manifests of the data directory by run. The
// runs in pending are still to be published, and may have files without a manifest. The warehouse,
// which may be nil, counts the rows of each file.
//
// Whatever is wrong with the lake is one of the Problems. The error is that of a cancelled ctx, of
// a directory that cannot be listed, or of DuckDB for an intact file that it cannot read; the
// problems that were found before are returned with it.
func VerifyLake(ctx context.Context, dir string, known map[string]Manifest, pending map[string]bool, w *warehouse.Warehouse) (LakeFiles, error) {
	var l LakeFiles
	named := map[string]bool{}
	for _, run := range sortedRuns(known) {
		m := known[run]
		if m.Schema != SchemaID() {
			l.problem("%s: its files have the columns or values of another version of fleetlake (schema %s, this one writes %s)", run, m.Schema, SchemaID())
		}
		for _, f := range m.Files {
			if err := ctx.Err(); err != nil {
				return l, err
			}
			named[f.Path] = true
			if err := l.file(ctx, filepath.Join(lake(dir), filepath.FromSlash(f.Path)), f, w); err != nil {
				return l, err
			}
		}
	}
	return l, l.strays(dir, named, pending)
}

func (l *LakeFiles) problem(format string, args ...any) {
	l.Problems = append(l.Problems, fmt.Sprintf(format, args...))
}

// file compares a file with its manifest.
func (l *LakeFiles) file(ctx context.Context, path string, f File, w *warehouse.Warehouse) error {
	size, sum, err := digest(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.problem("%s is missing", f.Path)
		return nil
	case err != nil:
		l.problem("%s cannot be read: %v", f.Path, err)
		return nil
	case size != f.Bytes || sum != f.SHA256:
		l.problem("%s is not what was written: %d bytes with SHA-256 %.12s, the manifest has %d with %.12s", f.Path, size, sum, f.Bytes, f.SHA256)
		return nil
	}
	l.Files++
	l.Bytes += size
	if w == nil {
		return nil
	}
	rows, err := w.ParquetRows(ctx, path)
	if err != nil {
		return err
	}
	if rows[path] != f.Rows {
		l.problem("%s has %d rows, the manifest has %d", f.Path, rows[path], f.Rows)
	}
	return nil
}

// strays looks for files that a reader of the directories would take for data.
func (l *LakeFiles) strays(dir string, named, pending map[string]bool) error {
	err := filepath.WalkDir(lake(dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() && path == manifests(dir):
			return filepath.SkipDir
		case e.IsDir() || strings.HasSuffix(path, durable.Part):
			return nil
		}
		below, err := filepath.Rel(lake(dir), path)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		run, _ := strings.CutSuffix(filepath.Base(path), ".parquet")
		if !named[below] && !pending[run] {
			l.problem("%s belongs to no manifest, and readers of the lake would count it", below)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for files that no manifest names: %w", err)
	}
	return nil
}

func sortedRuns(known map[string]Manifest) []string {
	runs := make([]string, 0, len(known))
	for run := range known {
		runs = append(runs, run)
	}
	slices.Sort(runs)
	return runs
}

// VerifyPublished compares the published file with the manifests of its runs, which are in known by
// run: the rows of each run in tables with one row for each row of the lake, the rows of every
// table, and the fleet of the latest night. It returns a line for each difference. Its error is one
// of reading the warehouse; the differences that were found before are returned with it.
func VerifyPublished(ctx context.Context, dir string, known map[string]Manifest, w *warehouse.Warehouse) (wrong []string, err error) {
	runs, err := w.Published(ctx)
	if err != nil {
		return nil, err
	}
	for _, run := range sortedRuns(known) {
		if !runs[run] {
			continue
		}
		n, err := w.RowsOfRun(ctx, run, wholeTables...)
		if err != nil {
			return wrong, err
		}
		for _, table := range wholeTables {
			if f, _ := known[run].file(table); n[table] != f.Rows {
				wrong = append(wrong, fmt.Sprintf("%s has %d rows of run %s, its manifest has %d", table, n[table], run, f.Rows))
			}
		}
	}
	lost, err := lostRows(ctx, known, w)
	if err != nil {
		return wrong, err
	}
	wrong = append(wrong, lost...)
	fleet, err := fleetDiffers(ctx, dir, known, runs, w)
	return append(wrong, fleet...), err
}

// lostRows compares the rows of the tables with those that they had when they were published.
func lostRows(ctx context.Context, known map[string]Manifest, w *warehouse.Warehouse) (wrong []string, err error) {
	now, last, err := contentsOf(ctx, w)
	if err != nil {
		return nil, err
	}
	then := known[last].Contents
	if then == nil || then.Runs != now.Runs {
		return nil, nil // counted for a file with other runs, as before a rollback
	}
	for table, rows := range then.Tables {
		if now.Tables[table] != rows {
			wrong = append(wrong, fmt.Sprintf("%s has %d rows, it was published with %d", table, now.Tables[table], rows))
		}
	}
	slices.Sort(wrong)
	return wrong, nil
}

// fleetDiffers compares the view vessels with the lake's copy of it.
func fleetDiffers(ctx context.Context, dir string, known map[string]Manifest, runs map[string]bool, w *warehouse.Warehouse) ([]string, error) {
	var latest Manifest
	for run := range runs {
		m, ok := known[run]
		if ok && (m.Run.Date > latest.Run.Date || m.Run.Date == latest.Run.Date && run > latest.Run.ID) {
			latest = m
		}
	}
	f, ok := latest.file(vessels)
	path := filepath.Join(lake(dir), filepath.FromSlash(f.Path))
	if _, err := os.Stat(path); !ok || err != nil || latest.Schema != SchemaID() {
		return nil, nil // VerifyLake reports what is missing in the lake
	}
	missing, more, err := w.Fleet(ctx, path)
	if err != nil || missing+more == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("%d rows of vessels are not in the lake's copy of the fleet as published, and %d of its rows are not in vessels", missing, more)}, nil
}
