package export

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse"
)

// historyFiles are the tables and views of a warehouse file, written once for all tries of an export.
type historyFiles struct {
	of    os.FileInfo // the published file
	files map[string]File
	local map[string]string
}

// planHistory adds the selected tables of the warehouse, and keeps the others as they are listed.
func (e *exporter) planHistory(ctx context.Context, src *source, t *target, p *plan, selected selection, local map[string]string) error {
	for _, f := range t.current.Files {
		if !f.Facts() && !selected.table(f.Table) {
			p.next.Files = append(p.next.Files, f)
		}
	}
	if err := e.history.reuse(src.file); err != nil {
		return err
	}
	for _, table := range derived {
		if !selected.table(table) {
			continue
		}
		if _, ok := e.history.files[table]; !ok {
			e.o.report(Progress{Phase: "history", Files: len(e.history.files), AllFiles: len(derived)})
			if err := e.history.write(ctx, src.warehouse, e.scratch, table, p.next.Tables[table]); err != nil {
				return err
			}
		}
		f := e.history.files[table]
		f.Run, f.SnapshotDate = p.next.Run, p.next.SnapshotDate
		p.next.Files = append(p.next.Files, f)
		local[f.Path] = e.history.local[table]
	}
	return nil
}

// reuse drops the files if they are of another published file.
func (h *historyFiles) reuse(file *os.File) error {
	now, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open the published warehouse: %w", err)
	}
	if h.of == nil || !os.SameFile(h.of, now) {
		*h = historyFiles{of: now, files: map[string]File{}, local: map[string]string{}}
	}
	return nil
}

// write writes a table or view of the warehouse to the scratch directory. The same rows make the same bytes.
func (h *historyFiles) write(ctx context.Context, w *warehouse.Warehouse, scratch, table string, t Table) error {
	path := filepath.Join(scratch, table+".parquet")
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	rows, err := w.ExportTable(ctx, inWarehouse(table), t.columnsOf(), t.Sort, path)
	if err != nil {
		return err
	}
	f := File{Table: table, Rows: rows}
	if f.Bytes, f.SHA256, err = digestOf(path); err != nil {
		return err
	}
	f.Path = strings.Replace(table, ".", "/", 1) + "/" + shortSum(f.SHA256) + ".parquet"
	h.files[f.Table], h.local[f.Table] = f, path
	return nil
}

// digestOf returns the size and the SHA-256 of a file.
func digestOf(path string) (size int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	return digest(f)
}

// tables describes the tables of an export. Its errors are warehouse.ErrOlder and those of reading.
func (s *source) tables(ctx context.Context) (map[string]Table, error) {
	if err := s.warehouse.CheckCurrent(ctx); err != nil {
		return nil, err
	}
	described, err := s.warehouse.Dictionary(ctx)
	if err != nil {
		return nil, err
	}
	return tablesOf(described)
}

func (s *source) published(run string) bool {
	_, ok := s.manifests[run]
	return ok
}

// runsOf returns the runs of files of facts.
func (s *source) runsOf(files []File) []ListedRun {
	runs := []ListedRun{}
	seen := map[string]bool{}
	add := func(id string) {
		if m, ok := s.manifests[id]; ok && !seen[id] {
			seen[id] = true
			runs = append(runs, ListedRun{id, m.Run.Job, m.Run.Date, m.Run.State})
		}
	}
	for _, f := range files {
		if f.Facts() {
			add(f.Run)
			for _, from := range f.Sources {
				add(from.Run)
			}
		}
	}
	slices.SortFunc(runs, func(a, b ListedRun) int { return strings.Compare(a.SnapshotDate+a.Run, b.SnapshotDate+b.Run) })
	return runs
}

// planWarehouse adds the published file. Without the option, an earlier one stays listed.
func (e *exporter) planWarehouse(src *source, p *plan, local map[string]string) error {
	if !e.o.Warehouse {
		return nil
	}
	if _, err := src.file.Seek(0, 0); err != nil {
		return fmt.Errorf("read the published warehouse: %w", err)
	}
	size, sum, err := digest(src.file)
	if err != nil {
		return fmt.Errorf("read the published warehouse: %w", err)
	}
	f := WarehouseFile{Path: "warehouse/fleet-" + p.next.Run + "-" + shortSum(sum) + ".duckdb", Bytes: size, SHA256: sum, Run: p.next.Run}
	p.next.Warehouse = &f
	local[f.Path] = warehouse.Path(src.dir)
	return nil
}
