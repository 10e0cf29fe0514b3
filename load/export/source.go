package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/warehouse"
)

// errMoved says that a publish changed the data directory while it was exported.
var errMoved = errors.New("runs were published meanwhile")

// defaultMemoryMiB is DuckDB's limit in an export. What does not fit spills to the scratch directory.
const defaultMemoryMiB = 512

// source is a data directory as of one moment: the published file, which a later publish replaces but
// does not change, and the manifests of its runs.
type source struct {
	dir       string
	file      *os.File // the published file
	warehouse *warehouse.Warehouse
	manifests map[string]load.Manifest // of the published runs
	all       map[string]load.Manifest // of all runs, those that were rolled back included
}

// openSource opens what is published in a data directory. It returns warehouse.ErrNone if nothing is,
// errMoved if a publish came between, and load.ErrLake if the lake lacks a manifest.
func openSource(ctx context.Context, dir, spill string) (s *source, err error) {
	s = &source{dir: dir, manifests: map[string]load.Manifest{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	s.file, err = os.Open(warehouse.Path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		s.file = nil
		return s, warehouse.ErrNone
	}
	if err != nil {
		return s, fmt.Errorf("open the published warehouse: %w", err)
	}
	o := warehouse.Options{MemoryMiB: defaultMemoryMiB, Spill: filepath.Join(spill, "duckdb.tmp"), SpillMiB: 1 << 30}
	if s.warehouse, err = warehouse.Open(ctx, warehouse.Path(dir), o); err != nil {
		return s, err
	}
	runs, err := s.warehouse.Published(ctx)
	if err != nil {
		return s, err
	}
	if s.all, err = load.Manifests(dir); err != nil {
		return s, err
	}
	if err := s.same(); err != nil {
		return s, err
	}
	for id := range runs {
		m, ok := s.all[id]
		if !ok {
			return s, fmt.Errorf("run %s: %w", id, load.ErrLake)
		}
		s.manifests[id] = m
	}
	return s, nil
}

// same returns errMoved if another file was published since.
func (s *source) same() error {
	pinned, err := s.file.Stat()
	if err != nil {
		return fmt.Errorf("open the published warehouse: %w", err)
	}
	now, err := os.Stat(warehouse.Path(s.dir))
	if err != nil || !os.SameFile(pinned, now) {
		return errMoved
	}
	return nil
}

// unmoved returns errMoved if another file was published, or a run was derived anew.
func (s *source) unmoved() error {
	if err := s.same(); err != nil {
		return err
	}
	now, err := load.Manifests(s.dir)
	if err != nil {
		return err
	}
	for id, m := range s.manifests {
		if !reflect.DeepEqual(m, now[id]) {
			return fmt.Errorf("run %s: %w", id, errMoved)
		}
	}
	return nil
}

func (s *source) close() error {
	var err error
	if s.warehouse != nil {
		err = s.warehouse.Close()
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}

// latest returns the latest published run; the zero run without any.
func (s *source) latest() warehouse.Run { return latest(s.manifests) }

// newest returns the latest run of the lake, published or not; the zero run without any.
func (s *source) newest() warehouse.Run { return latest(s.all) }

func latest(manifests map[string]load.Manifest) warehouse.Run {
	var latest warehouse.Run
	for _, m := range manifests {
		if m.Run.Date > latest.Date || m.Run.Date == latest.Date && m.Run.ID > latest.ID {
			latest = m.Run
		}
	}
	return latest
}

// lakeFiles lists the files of the published runs under the names of an export, and where each is. One that the export
// has, unchanged, keeps its name: that of an earlier version of the program is another.
//
// The folder of a night is not named after the column snapshot_date, which the file has: pyarrow, and pandas with it,
// read the name of a folder as a column of text, and refuse a file that has it as a date.
func (s *source) lakeFiles(before []File) (files []File, local map[string]string) {
	local = map[string]string{}
	named := map[string]string{}
	for _, f := range before {
		named[f.Table+f.Run+f.SHA256] = f.Path
	}
	for _, m := range s.manifests {
		for _, f := range m.Files {
			file := File{
				Table: factsPrefix + f.Table, Rows: f.Rows, Bytes: f.Bytes, SHA256: f.SHA256, Run: m.Run.ID, SnapshotDate: m.Run.Date,
				Path: "facts/" + f.Table + "/night=" + m.Run.Date + "/" + m.Run.ID + "-" + shortSum(f.SHA256) + ".parquet",
			}
			if path, ok := named[file.Table+file.Run+file.SHA256]; ok {
				file.Path = path
			}
			files = append(files, file)
			local[file.Path] = load.LakePath(s.dir, f)
		}
	}
	sortFiles(files)
	return files, local
}

// shortSum is the part of a SHA-256 that a name has.
func shortSum(sum string) string { return sum[:min(16, len(sum))] }
