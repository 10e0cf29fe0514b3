package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/warehouse"
)

// mergeMemoryMiB is DuckDB's limit while it merges a month: with what is beside it, a month of 100,000
// vessels a night stays below the gigabyte that the unit of the server has.
const mergeMemoryMiB = 512

// Compact merges the files of each closed month of facts into one for each table, from the lake files of
// the data directory, and lists it in place of the files of the nights. A month is closed when a
// later one has a published night. A month whose nights the lake has otherwise than the
// export is left and reported: an export comes first. Options.Since and Tables select. It returns what Run
// returns.
func Compact(ctx context.Context, dir string, s store.Store, o Options) (_ Report, err error) {
	began := time.Now()
	scratch, remove, err := scratchDir(dir)
	if err != nil {
		return Report{}, fmt.Errorf("compact: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	c := &compactor{exporter: exporter{dir: dir, store: &counting{Store: s}, o: o, scratch: scratch, stored: map[string]bool{}}, merged: map[string]File{}}
	for try := 1; ; try++ {
		err = c.once(ctx)
		again := errors.Is(err, errMoved) || errors.Is(err, store.ErrChanged)
		if !again || try == exportTries || ctx.Err() != nil {
			break
		}
	}
	c.report.Requests, c.report.Seconds = c.store.requests.Load(), time.Since(began).Seconds()
	if err != nil {
		return c.report, fmt.Errorf("compact: %w", err)
	}
	return c.report, nil
}

// compactor is one compaction.
type compactor struct {
	exporter
	merged map[string]File // what this compaction has written and uploaded, by its sources
}

// monthOfTable is the files of a table and month that one file replaces.
type monthOfTable struct {
	table, month string
	sources      []File // of the lake, in their order
	listed       []string
}

// id names the sources.
func (m monthOfTable) id() string {
	var b strings.Builder
	for _, f := range m.sources {
		b.WriteString(f.Path + "\n")
	}
	return b.String()
}

func (c *compactor) once(ctx context.Context) (err error) {
	c.o.report(Progress{Phase: "plan"})
	src, err := openSource(ctx, c.dir, c.scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	t, err := readTarget(ctx, c.store)
	if err != nil {
		return err
	}
	if t.version == "" {
		return errors.New("there is no export to compact: `fleetlake export` makes one")
	}
	if err := t.check(src, c.o); err != nil {
		return err
	}
	selected, err := newSelection(c.o.Since, c.o.Tables, t.current.Tables)
	if err != nil {
		return err
	}
	lake, local := src.lakeFiles(t.current.Files)
	months, notices := closedMonths(t.current, lake, selected)
	c.report = Report{DryRun: c.o.DryRun, Runs: len(t.current.Runs), Files: c.report.Files, Bytes: c.report.Bytes, Notices: notices}
	next := t.current
	next.Files = slices.Clone(next.Files)
	for i, m := range months {
		c.o.report(Progress{Phase: "merge", Files: i, AllFiles: len(months)})
		f, err := c.month(ctx, t, m, local)
		if err != nil {
			return c.orMoved(src, err)
		}
		next.Files = slices.DeleteFunc(next.Files, func(f File) bool { return slices.Contains(m.listed, f.Path) })
		next.Files = append(next.Files, f)
	}
	sortFiles(next.Files)
	c.report.Listed = len(next.paths())
	if len(months) == 0 || c.o.DryRun {
		return nil
	}
	id, notices, err := publishNext(ctx, c.store, next, t, c.o.stamp())
	c.report.Export, c.report.Notices = id, append(c.report.Notices, notices...)
	return err
}

// closedMonths lists the months that can be merged: all that have several files, and a later month
// after them. Notices name those that the lake has otherwise.
func closedMonths(current Manifest, lake []File, selected selection) (months []monthOfTable, notices []string) {
	byRun := map[runTable]File{}
	for _, f := range lake {
		byRun[runTable{f.Run, f.Table}] = f
	}
	all := map[string]*monthOfTable{}
	changed := map[string]bool{}
	for _, f := range current.Files {
		if !f.Facts() || month(f.night()) >= month(current.SnapshotDate) || !selected.night(f.Table, f.night()) {
			continue
		}
		key := f.Table + " " + month(f.night())
		if all[key] == nil {
			all[key] = &monthOfTable{table: f.Table, month: month(f.night())}
		}
		all[key].listed = append(all[key].listed, f.Path)
		sources := f.Sources
		if len(sources) == 0 {
			sources = []Source{{f.Run, f.SnapshotDate, f.SHA256}}
		}
		for _, from := range sources {
			now := byRun[runTable{from.Run, f.Table}]
			changed[key] = changed[key] || now.SHA256 != from.SHA256
			all[key].sources = append(all[key].sources, now)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		switch m := all[key]; {
		case len(m.listed) < 2:
		case changed[key]:
			notices = append(notices, key+" is not merged: the lake has its nights otherwise than the export; `fleetlake export` comes first")
		default:
			sortFiles(m.sources)
			months = append(months, *m)
		}
	}
	return months, notices
}

// month merges a month, and uploads the file. A dry run only says which files it would merge.
func (c *compactor) month(ctx context.Context, t *target, m monthOfTable, local map[string]string) (File, error) {
	f, done := c.merged[m.id()]
	if done {
		return f, nil
	}
	f = File{Table: m.table, First: m.sources[0].SnapshotDate, Last: m.sources[len(m.sources)-1].SnapshotDate}
	for _, from := range m.sources {
		f.Rows += from.Rows
		f.Bytes += from.Bytes
		f.Sources = append(f.Sources, Source{from.Run, from.SnapshotDate, from.SHA256})
	}
	short, _ := strings.CutPrefix(m.table, factsPrefix)
	directory := "facts/" + short + "/snapshot_month=" + m.month + "/"
	if c.o.DryRun {
		c.report.Files++
		c.report.Bytes += f.Bytes
		c.report.Uploads = append(c.report.Uploads, Upload{fmt.Sprintf("%s of %d files", directory, len(m.sources)), f.Bytes})
		return f, nil
	}
	path := filepath.Join(c.scratch, "merged.parquet")
	if err := c.merge(ctx, t.current.Tables[m.table], &f, m, local, path); err != nil {
		return File{}, err
	}
	f.Path = directory + shortSum(f.SHA256) + ".parquet"
	ok, err := t.has(f.Path, f.Bytes)
	if err != nil {
		return File{}, err
	}
	if !ok {
		if err := c.upload(ctx, []upload{{f.Path, path, f.Bytes, f.SHA256}}); err != nil {
			return File{}, err
		}
	}
	c.merged[m.id()] = f
	return f, errors.Join(os.Remove(path))
}

// merge writes the file of a month, after each source was compared with its manifest.
func (c *compactor) merge(ctx context.Context, table Table, f *File, m monthOfTable, local map[string]string, path string) error {
	var paths []string
	for _, from := range m.sources {
		size, sum, err := digestOf(local[from.Path])
		if err != nil {
			return err
		}
		if size != from.Bytes || sum != from.SHA256 {
			return fmt.Errorf("%s %w: its SHA-256 is %s, its manifest has %s; `fleetlake verify` says what helps", local[from.Path], errDamaged, sum, from.SHA256)
		}
		paths = append(paths, local[from.Path])
	}
	rows, err := warehouse.Merge(ctx, paths, table.columnsOf(), table.mergeSort(), path, filepath.Join(c.scratch, "duckdb.tmp"), mergeMemoryMiB)
	if err != nil {
		return err
	}
	if rows != f.Rows {
		return fmt.Errorf("merge %s of %s: %d rows, its files have %d", m.month, m.table, rows, f.Rows)
	}
	f.Bytes, f.SHA256, err = digestOf(path)
	return err
}

// mergeSort is the order of a merged file: that of its sources, and then by run and answer, so that it
// does not depend on the order of the sources.
func (t Table) mergeSort() []string {
	order := slices.Clone(t.Sort)
	for _, c := range t.Columns {
		if (c.Name == "snapshot_date" || c.Name == "run_id" || c.Name == "entry") && !slices.Contains(order, c.Name) {
			order = append(order, c.Name)
		}
	}
	return order
}
