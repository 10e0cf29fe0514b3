package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// checkBuild compares the finished file with the manifests of the nights that the publication
// touches, and writes these manifests: the lake has a run before the warehouse has it.
func (p *publication) checkBuild(ctx context.Context, w *warehouse.Warehouse) error {
	for _, m := range p.written {
		if p.acceptIssues || m.Accepted {
			continue
		}
		if err := p.issues(ctx, w, m); err != nil {
			return err
		}
	}
	for _, path := range p.fleetFiles {
		if err := durable.Replace(path+durable.Part, path); err != nil {
			return fmt.Errorf("write vessels: %w", err)
		}
	}
	contents, last, err := contentsOf(ctx, w)
	if err != nil {
		return err
	}
	for _, night := range p.nights {
		if !p.touches(night) {
			continue
		}
		for _, m := range night {
			if err := p.checkRun(ctx, w, *m); err != nil {
				return fmt.Errorf("verify run %s: %w", m.Run.ID, err)
			}
			if m.Run.ID == last {
				m.Contents = contents
			}
			if err := m.write(p.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeTables are the tables that get exactly one row for each row of the lake.
var wholeTables = []string{transform.Requests.Name, transform.Coverage.Name, transform.Issues.Name}

// checkRun checks the lake files of a run, their sizes and the numbers of rows in their footers, and its rows in the
// wholeTables.
func (p *publication) checkRun(ctx context.Context, w *warehouse.Warehouse, m Manifest) error {
	got, err := w.RowsOfRun(ctx, m.Run.ID, wholeTables...)
	if err != nil {
		return err
	}
	for _, table := range wholeTables {
		if f, _ := m.file(table); got[table] != f.Rows {
			return fmt.Errorf("%d rows in %s, the manifest has %d", got[table], table, f.Rows)
		}
	}
	var paths []string
	for _, f := range m.Files {
		paths = append(paths, p.pathOf(f))
	}
	rows, err := w.ParquetRows(ctx, paths...)
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		info, err := os.Stat(p.pathOf(f))
		if err != nil {
			return err
		}
		if n := rows[p.pathOf(f)]; info.Size() != f.Bytes || n != f.Rows {
			return fmt.Errorf("%s has %d bytes and %d rows, the manifest has %d and %d", f.Path, info.Size(), n, f.Bytes, f.Rows)
		}
	}
	return nil
}

// pathOf is the path of a lake file.
func (p *publication) pathOf(f File) string {
	return filepath.Join(lake(p.dir), filepath.FromSlash(f.Path))
}
