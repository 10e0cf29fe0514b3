package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/fleetlake/fleetlake/transform"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// ErrLake says that the lake lacks files of a published run.
var ErrLake = errors.New("files of published runs are missing in the lake: `fleetlake rebuild` writes them again from the journal")

// Options are the limits and switches of a load.
type Options struct {
	MemoryMiB    int  // of DuckDB; 0 is that of warehouse.SetLimits, or its default
	AcceptIssues bool // publish however many values were refused; see ErrIssues

	Warn func(notice string) // receives what was found beside the published file and removed; may be nil

	// Accounts returns what the runs up to one cost; nil is unknown. A rebuild of the same runs has the same.
	Accounts func(last string) ([]warehouse.RunAccount, error)
}

// Publish brings runs, whose files Write has written, into the warehouse and publishes it, with
// their manifests. If all of them are published already it does nothing. It returns an IssuesError
// for a run with too many issues, ErrLake if an earlier run's files are missing, ErrNewer if a
// newer program wrote their manifests, and the errors of warehouse.OpenPublished and
// warehouse.Update. After an error the published file is as it was, unless nothing remained but to
// remove earlier files of vessels, which Clean completes.
func Publish(ctx context.Context, dir string, o Options, written ...Manifest) error {
	bases := warehouse.FindBases(dir)
	before, err := bases.Published(ctx) // now: the file may have been damaged since the run began
	if err != nil {
		return err
	}
	there := map[string]bool{}
	maps.Copy(there, before)
	written = slices.DeleteFunc(slices.Clone(written), func(m Manifest) bool {
		done := there[m.Run.ID] // a run is published once, even if it was derived twice
		there[m.Run.ID] = true
		return done
	})
	if len(written) == 0 {
		return nil
	}
	p := publication{dir: dir, written: written, before: before, acceptIssues: o.AcceptIssues}
	if err := p.findBase(ctx, bases); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	b := warehouse.Build{Dir: dir, RunID: p.last(), From: p.base, MemoryMiB: o.MemoryMiB, Check: p.checkBuild, Warn: o.Warn}
	for _, c := range transform.Comments() {
		b.Comments = append(b.Comments, warehouse.Comment{Table: c.Dataset, Column: c.Column, Text: c.Text})
	}
	for _, r := range transform.ReferenceTables() {
		b.Reference = append(b.Reference, warehouse.Reference{Table: r.Name, Columns: r.Columns, Rows: r.Rows})
	}
	var accounts []warehouse.RunAccount
	if o.Accounts != nil {
		if accounts, err = o.Accounts(p.newest()); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	some := p.transactions()
	for i, nights := range some {
		last := i == len(some)-1
		b.Steps = append(b.Steps, func(ctx context.Context, t *warehouse.Tx) error {
			if err := p.applyAll(ctx, t, nights); err != nil || !last || o.Accounts == nil {
				return err
			}
			return t.SetRunAccounts(ctx, accounts) // in this transaction: another would cost another checkpoint
		})
	}
	b.Finish = append(b.Finish, func(ctx context.Context, t *warehouse.Tx) error {
		return p.writeVessels(ctx, t, p.nights[len(p.nights)-1])
	})
	if err := warehouse.Update(ctx, b); err != nil {
		for _, path := range p.fleetFiles {
			os.Remove(path + durable.Part) // Clean removes what is left
		}
		return fmt.Errorf("publish: %w", err)
	}
	for _, m := range written {
		if err := keepLatestFleet(dir, m.Run.Date); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// publication is one publish: the nights to apply, and the earlier file to apply them to.
type publication struct {
	dir     string
	written []Manifest      // the runs to publish
	before  map[string]bool // the runs that are published

	acceptIssues bool

	fleetFiles []string // files of vessels that are written but not yet renamed

	base   string        // the file to build on; empty for none
	nights [][]*Manifest // what to apply to it: nights in order, each with its runs in order
}

// findBase finds the file to build on, and all runs after it. A file that lacks a night before its
// last cannot be built on, since nights are applied in their order.
func (p *publication) findBase(ctx context.Context, bases *warehouse.Bases) error {
	first := slices.MinFunc(p.written, func(a, b Manifest) int { return strings.Compare(a.Run.Date, b.Run.Date) }).Run.Date
	var runs []*Manifest
	for from := ""; from != first; {
		from = first
		base, has, err := bases.Before(ctx, first)
		if err != nil {
			return err
		}
		p.base = base
		if runs, err = p.missingRuns(has); err != nil {
			return err
		}
		for _, m := range runs {
			first = min(first, m.Run.Date)
		}
	}
	for i := range p.written {
		runs = append(runs, &p.written[i])
	}
	slices.SortFunc(runs, func(a, b *Manifest) int {
		return cmp.Or(strings.Compare(a.Run.Date, b.Run.Date), strings.Compare(a.Run.ID, b.Run.ID))
	})
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && runs[n].Run.Date == runs[0].Run.Date {
			n++
		}
		p.nights, runs = append(p.nights, runs[:n]), runs[n:]
	}
	return nil
}

// missingRuns returns the published runs that a file does not have.
func (p *publication) missingRuns(has map[string]bool) ([]*Manifest, error) {
	var runs []*Manifest
	for id := range p.before {
		if has[id] {
			continue
		}
		m, err := readManifest(filepath.Join(manifests(p.dir), id+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("run %s: %w", id, ErrLake)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, &m)
	}
	return runs, nil
}

// last returns the latest run to publish, which names the version.
func (p *publication) last() string {
	return slices.MaxFunc(p.written, func(a, b Manifest) int { return strings.Compare(a.Run.ID, b.Run.ID) }).Run.ID
}

// newest is the latest of all runs that the finished file has.
func (p *publication) newest() string {
	last := p.last()
	for id := range p.before {
		last = max(last, id)
	}
	return last
}

// mostRowsAtOnce is how many rows of the lake the nights of one transaction have, unless one night has more. A
// transaction ends with a checkpoint, which takes as long as a third of the statements of a night of a few thousand
// vessels; DuckDB holds in memory what is not committed.
const mostRowsAtOnce = 50_000

// transactions divides the nights into those that one transaction applies.
func (p *publication) transactions() (some [][][]*Manifest) {
	rows := int64(0)
	for _, night := range p.nights {
		of := rowsOf(night)
		if rows += of; len(some) == 0 || rows > mostRowsAtOnce {
			some, rows = append(some, nil), of
		}
		last := len(some) - 1
		some[last] = append(some[last], night)
	}
	return some
}

// rowsOf is how many rows of the lake a night applies.
func rowsOf(night []*Manifest) (rows int64) {
	for _, m := range night {
		for _, f := range m.Files {
			if f.Table != vessels {
				rows += f.Rows
			}
		}
	}
	return rows
}

// applyAll is one step of the build: some nights. The fleet of each is written that a new run may have changed, but for
// the last night's, which is written when the file is finished.
func (p *publication) applyAll(ctx context.Context, t *warehouse.Tx, nights [][]*Manifest) error {
	for _, night := range nights {
		if err := p.apply(ctx, t, night); err != nil {
			return err
		}
		if p.touches(night) && night[0] != p.nights[len(p.nights)-1][0] {
			if err := p.writeVessels(ctx, t, night); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply applies one night.
func (p *publication) apply(ctx context.Context, t *warehouse.Tx, night []*Manifest) error {
	for _, table := range transform.Tables {
		if err := t.Lake(ctx, table.Name, columnsOf(table), p.paths(night, table.Name)); err != nil {
			return err
		}
	}
	var runs []warehouse.Run
	for _, m := range night {
		runs = append(runs, m.Run)
	}
	return t.Apply(ctx, night[0].Run.Date, runs)
}

// touches reports whether a night is, or comes after, one that a new run belongs to. Then its
// fleet may differ, and is written again.
func (p *publication) touches(night []*Manifest) bool {
	return slices.ContainsFunc(p.written, func(m Manifest) bool { return m.Run.Date <= night[0].Run.Date })
}

// paths returns the paths of a night's files of a table.
func (p *publication) paths(night []*Manifest, table string) []string {
	var paths []string
	for _, m := range night {
		if f, ok := m.file(table); ok {
			paths = append(paths, p.pathOf(f))
		}
	}
	return paths
}

// typeNames are DuckDB's names for the types of the lake.
var typeNames = map[arrow.Type]string{
	arrow.STRING: "VARCHAR", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT", arrow.FLOAT64: "DOUBLE",
	arrow.BOOL: "BOOLEAN", arrow.DATE32: "DATE", arrow.TIMESTAMP: "TIMESTAMP WITH TIME ZONE",
}

func columnsOf(t transform.Table) []warehouse.Column {
	var columns []warehouse.Column
	for _, f := range t.Schema.Fields() {
		columns = append(columns, warehouse.Column{Name: f.Name, Type: typeNames[f.Type.ID()]})
	}
	return columns
}
