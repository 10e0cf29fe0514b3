package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	iceberg "github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
)

// lake is an export and the catalog of its tables.
type lake struct {
	target   target
	catalog  catalog.Catalog // nil if there is none yet
	manifest manifest
	back     bool // register rolls back what another engine did to a table
	publish  func(context.Context) error
	progress func(format string, args ...any)
}

// tableChange is what register did, or would do, to one table.
type tableChange struct {
	Table   string `json:"table"`
	Created bool   `json:"created,omitempty"`
	Altered bool   `json:"altered,omitempty"`
	Commits int    `json:"commits"`
	Added   int    `json:"files_added"`
	Removed int    `json:"files_removed"`
	Rows    int64  `json:"rows_added"`
	Problem string `json:"problem,omitempty"` // why the table was left as it is
	Back    bool   `json:"rolled_back,omitempty"`
}

func (c tableChange) nothing() bool { return !c.Created && !c.Altered && !c.Back && c.Commits == 0 }

// planned is what would be done to a table.
type planned struct {
	name   string
	exists bool
	alters bool
	back   bool // it was rolled back
	steps  []step
}

func (p planned) change() tableChange {
	c := tableChange{Table: p.name, Created: !p.exists, Altered: p.alters, Commits: len(p.steps)}
	for _, s := range p.steps {
		c.count(s)
	}
	return c
}

func (c *tableChange) count(s step) {
	c.Added += len(s.add)
	c.Removed += len(s.remove)
	for _, f := range s.add {
		c.Rows += f.Rows
	}
}

// paths returns the files of the export that steps add.
func paths(steps []step) (files []string) {
	for _, s := range steps {
		for _, f := range s.add {
			files = append(files, f.Path)
		}
	}
	return files
}

// plan compares one table of the catalog with the manifest.
func (l lake) plan(ctx context.Context, name string) (planned, error) {
	p := planned{name: name}
	tbl, err := loadTable(ctx, l.catalog, l.target, name)
	if err != nil {
		return p, err
	}
	s, err := readState(ctx, l.target, name, tbl)
	if err != nil {
		return p, err
	}
	if tbl != nil {
		schema, err := evolve(name, tbl.Schema(), l.manifest.Tables[name])
		if err != nil {
			return p, err
		}
		p.exists, p.alters = true, schema != nil
	}
	p.steps = planTable(l.manifest.filesOf(name), s.files)
	return p, nil
}

// register brings every table up to the manifest. With dryRun it changes nothing and says what it would do. A table
// that another engine changed is left as it is and reported, unless back is set; the others are brought up.
func (l lake) register(ctx context.Context, dryRun bool) (changes []tableChange, err error) {
	var plans []planned
	var needed []string
	var foreign error
	names := l.manifest.names()
	for i, name := range names {
		l.progress("register: compared %d of %d tables", i, len(names))
		back := false
		if l.back && !dryRun {
			if back, err = l.rollBack(ctx, name); err != nil {
				return changes, err
			}
		}
		p, err := l.plan(ctx, name)
		if errors.Is(err, errForeign) {
			changes, foreign = append(changes, tableChange{Table: name, Problem: err.Error()}), errors.Join(foreign, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		p.back = back
		plans = append(plans, p)
		needed = append(needed, paths(p.steps)...)
	}
	if !dryRun {
		if err := pin(ctx, l.target, needed); err != nil {
			return nil, err
		}
	}
	for i, p := range plans {
		l.progress("register: %d of %d tables are done, next %s", i, len(plans), p.name)
		change := tableChange{Table: p.name, Back: p.back}
		if dryRun {
			change = p.change()
		} else if !p.exists || p.alters || len(p.steps) > 0 {
			if err := l.registerTable(ctx, p.name, &change); err != nil {
				return changes, errors.Join(foreign, err)
			}
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b tableChange) int { return strings.Compare(a.Table, b.Table) })
	return changes, foreign
}

// rollBack takes a table that another engine changed back to its newest snapshot that only we made, and reports
// whether it did. Without such a snapshot the table stays, and register reports it.
func (l lake) rollBack(ctx context.Context, name string) (done bool, err error) {
	err = l.repeat(ctx, name, func(tbl *table.Table) (bool, error) {
		if _, err := readState(ctx, l.target, name, tbl); !errors.Is(err, errForeign) {
			return true, err
		}
		for s := tbl.CurrentSnapshot(); s.ParentSnapshotID != nil; {
			if s = tbl.SnapshotByID(*s.ParentSnapshotID); s == nil {
				break
			}
			if _, err := readSnapshot(ctx, l.target, name, tbl, s); errors.Is(err, errForeign) {
				continue
			} else if err != nil {
				return true, fmt.Errorf("roll back %s: %w", name, err)
			}
			tx := tbl.NewTransaction()
			if err := tx.RollbackToSnapshot(s.SnapshotID); err != nil {
				return true, fmt.Errorf("roll back %s: %w", name, err)
			}
			if _, err := tx.Commit(ctx); err != nil {
				return false, fmt.Errorf("roll back %s: %w", name, err)
			}
			done = true
			return true, nil
		}
		return true, nil
	})
	return done, err
}

// registerTable makes the table and commits its steps. If another process commits in between, it loads the table
// and plans again.
func (l lake) registerTable(ctx context.Context, name string, change *tableChange) error {
	m := l.manifest.Tables[name]
	return l.repeat(ctx, name, func(tbl *table.Table) (bool, error) {
		if tbl == nil {
			change.Created = true
			return false, createTable(ctx, l.catalog, l.target, name, m)
		}
		if altered, err := alterTable(ctx, l.catalog, tbl, name, m); altered || err != nil {
			change.Altered = change.Altered || altered && !change.Created
			return false, err
		}
		s, err := readState(ctx, l.target, name, tbl)
		if err != nil {
			return true, err
		}
		steps := planTable(l.manifest.filesOf(name), s.files)
		if err := pin(ctx, l.target, paths(steps)); err != nil { // a second plan may need other files than the first
			return true, err
		}
		for _, step := range steps {
			add, err := l.dataFiles(ctx, tbl, step)
			if err != nil {
				return true, err
			}
			if tbl, err = l.commit(ctx, tbl, name, s, step, add); err != nil {
				return false, err
			}
			change.Commits++
			change.count(step)
		}
		return true, nil
	})
}

// repeat loads a table and tries a change until it is done. An error counts only if the table has not changed
// since it was loaded; otherwise another process was first, and the change is planned again.
func (l lake) repeat(ctx context.Context, name string, try func(*table.Table) (done bool, err error)) error {
	var last error
	for attempt := range tries {
		tbl, err := loadTable(ctx, l.catalog, l.target, name)
		if err != nil {
			return err
		}
		done, err := try(tbl)
		if done {
			return err
		}
		if err == nil {
			continue
		}
		last = err
		now, reload := loadTable(ctx, l.catalog, l.target, name)
		if reload != nil {
			return errors.Join(err, reload)
		}
		if location(now) == location(tbl) && !errors.Is(err, table.ErrCommitFailed) {
			return err
		}
		slog.Debug("another process changed the table", "table", name, "attempt", attempt+1, "error", err)
		if err := wait(ctx, attempt); err != nil {
			return err
		}
	}
	return fmt.Errorf("table %s: other processes changed it %d times meanwhile, try again later: %w", name, tries, last)
}

func location(tbl *table.Table) string {
	if tbl == nil {
		return ""
	}
	return tbl.MetadataLocation()
}

// wait pauses before another attempt: longer each time, and by chance, so that two processes do not collide again.
func wait(ctx context.Context, attempt int) error {
	limit := min(2*time.Second, 20*time.Millisecond<<attempt)
	timer := time.NewTimer(limit/2 + rand.N(limit/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// dataFiles describes the files that a step adds.
func (l lake) dataFiles(ctx context.Context, tbl *table.Table, do step) (add []iceberg.DataFile, err error) {
	for _, f := range do.add {
		d, err := l.dataFile(ctx, tbl, f)
		if err != nil {
			return nil, err
		}
		add = append(add, d)
	}
	return add, nil
}

// commit makes one snapshot of a step.
func (l lake) commit(ctx context.Context, tbl *table.Table, name string, s state, do step, add []iceberg.DataFile) (*table.Table, error) {
	var remove []iceberg.DataFile
	for _, path := range do.remove {
		remove = append(remove, s.data[path])
	}
	tx := tbl.NewTransaction()
	var err error
	if len(remove) == 0 {
		err = tx.AddDataFiles(ctx, add, l.summary(do), table.WithoutAutoNameMapping(), table.WithoutDuplicateCheck())
	} else {
		err = tx.ReplaceDataFilesWithDataFiles(ctx, remove, add, l.summary(do), table.WithoutAutoNameMapping())
	}
	if err != nil {
		return nil, fmt.Errorf("change %s: %w", name, err)
	}
	next, err := tx.Commit(ctx)
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", name, err)
	}
	return next, nil
}

// dataFile describes a file of the export by its footer, and compares it with the manifest.
func (l lake) dataFile(ctx context.Context, tbl *table.Table, f manifestFile) (iceberg.DataFile, error) {
	files, err := tbl.FS(ctx)
	if err != nil {
		return nil, err
	}
	d, err := table.FileToDataFile(ctx, files, l.target.of(f.Path), tbl.Schema(), tbl.Spec(), tbl.Metadata().DefaultSortOrder(), tbl.Properties())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	if d.Count() != f.Rows || d.FileSizeBytes() != f.Bytes {
		return nil, fmt.Errorf("%s has %d rows in %d bytes, current.json says %d rows in %d bytes: run `fleetlake export verify`", f.Path, d.Count(), d.FileSizeBytes(), f.Rows, f.Bytes)
	}
	return d, nil
}

// summary says in a snapshot which runs it is about and who wrote them.
func (l lake) summary(s step) iceberg.Properties {
	var runs, days, sums []string
	for _, f := range s.add {
		for _, p := range f.parts() {
			runs, days = append(runs, p.Run), append(days, p.SnapshotDate)
		}
		sums = append(sums, f.SHA256)
	}
	return describe(l.manifest, runs, days, sums)
}

// describe makes the summary of a snapshot; lists are separated by commas, without repetitions.
func describe(m manifest, runs, days, sums []string) iceberg.Properties {
	p := iceberg.Properties{"fleetlake.export": m.Export}
	for key, values := range map[string][]string{"fleetlake.run": runs, "fleetlake.snapshot-date": days, "fleetlake.sha256": sums, "fleetlake.version": {m.Program}} {
		slices.Sort(values)
		if text := strings.Trim(strings.Join(slices.Compact(values), ","), ","); text != "" {
			p[key] = text
		}
	}
	return p
}
