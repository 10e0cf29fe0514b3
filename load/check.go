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

// checkRun checks the lake files of a run, and the rows of the tables that get exactly one row for
// each row of the lake.
func (p *publication) checkRun(ctx context.Context, w *warehouse.Warehouse, m Manifest) error {
	for _, table := range []string{transform.Requests.Name, transform.Coverage.Name, transform.Issues.Name} {
		f, _ := m.file(table)
		got, err := w.Count(ctx, table, m.Run.ID)
		if err != nil {
			return err
		}
		if got != f.Rows {
			return fmt.Errorf("%d rows in %s, the manifest has %d", got, table, f.Rows)
		}
	}
	for _, f := range m.Files {
		if err := p.checkFile(ctx, w, f); err != nil {
			return err
		}
	}
	return nil
}

// checkFile checks the size of a lake file, and the number of rows in its footer.
func (p *publication) checkFile(ctx context.Context, w *warehouse.Warehouse, f File) error {
	path := filepath.Join(lake(p.dir), filepath.FromSlash(f.Path))
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	rows, err := w.ParquetRows(ctx, path)
	if err != nil {
		return err
	}
	if info.Size() != f.Bytes || rows != f.Rows {
		return fmt.Errorf("%s has %d bytes and %d rows, the manifest has %d and %d", f.Path, info.Size(), rows, f.Bytes, f.Rows)
	}
	return nil
}
