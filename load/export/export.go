package export

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/load"
	"github.com/fleetlake/fleetlake/load/store"
)

// Errors of an export.
var (
	ErrTarget  = errors.New("the target is not empty and no export: choose another one, or a prefix below it")
	ErrEarlier = errors.New("the target has an export of an earlier fleetlake, which had another layout: export to a new one, and remove the earlier one when nobody reads it")
)

// exportTries is how often an export is planned again because of a publish or another export.
const exportTries = 10

// exporter is one export.
type exporter struct {
	dir     string
	store   *counting
	o       Options
	scratch string
	report  Report
	stored  map[string]bool // uploaded by this export, in an earlier try too
	history historyFiles
}

// Run exports what is published in a data directory to a store. It uploads only what the store does
// not have, and continues an export that was interrupted. A file that differs from its manifest stops
// it before anything of the plan becomes visible. It returns ErrTarget for a store with other objects,
// ErrOther for the export of another data directory, ErrExpiring for a file that is being removed,
// warehouse.ErrNone if nothing is published, load.ErrLake if files are missing, and the errors of the store.
func Run(ctx context.Context, dir string, s store.Store, o Options) (_ Report, err error) {
	began := time.Now()
	scratch, remove, err := scratchDir(dir)
	if err != nil {
		return Report{}, fmt.Errorf("export: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	e := &exporter{dir: dir, store: &counting{Store: s}, o: o, scratch: scratch, stored: map[string]bool{}}
	for try := 1; ; try++ {
		err = e.once(ctx)
		again := errors.Is(err, errMoved) || errors.Is(err, store.ErrChanged)
		if !again || try == exportTries || ctx.Err() != nil {
			break
		}
	}
	e.report.Requests, e.report.Seconds = e.store.requests.Load(), time.Since(began).Seconds()
	if err != nil {
		return e.report, fmt.Errorf("export: %w", err)
	}
	return e.report, nil
}

// scratchDir makes a directory for temporary files in the data directory.
func scratchDir(dir string) (scratch string, remove func() error, err error) {
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", nil, err
	}
	return load.Scratch(work, "export-")
}

// once plans the export and carries it out.
func (e *exporter) once(ctx context.Context) (err error) {
	e.o.report(Progress{Phase: "plan"})
	src, err := openSource(ctx, e.dir, e.scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	t, err := readTarget(ctx, e.store)
	if err != nil {
		return err
	}
	if err := t.check(src, e.o); err != nil {
		return err
	}
	p, err := e.plan(ctx, src, t)
	if err != nil {
		return err
	}
	if e.o.DryRun {
		return nil
	}
	if err := e.upload(ctx, p.uploads); err != nil {
		return e.orMoved(src, err)
	}
	if err := src.unmoved(); err != nil {
		return err
	}
	return e.publish(ctx, p, t)
}

// orMoved returns errMoved instead of an error of a file if a publish has replaced the file.
func (e *exporter) orMoved(src *source, err error) error {
	if errors.Is(err, errDamaged) || errors.Is(err, os.ErrNotExist) {
		if moved := src.unmoved(); errors.Is(moved, errMoved) {
			return moved
		}
	}
	return err
}

// publish makes the plan visible, unless the store has it already.
func (e *exporter) publish(ctx context.Context, p *plan, t *target) error {
	same, err := equal(p.next, t.current)
	if err != nil || same && len(p.documents) == 0 {
		return err
	}
	id, err := replaceCurrent(ctx, e.store, p.next, t, e.o.stamp(), p.writeDocuments)
	if err == nil {
		e.report.Export = id
	}
	return err
}

// exportStamp is the time of a manifest in its id.
const exportStamp = "20060102T150405.000Z"

// replaceCurrent writes a manifest under a new id: first the copy that stays, by which a crash leaves no
// document that nobody lists; then the documents; and current.json last. It returns store.ErrChanged
// if another export was faster.
func replaceCurrent(ctx context.Context, s store.Store, m Manifest, t *target, by stamp, documents func(context.Context, store.Store) error) (id string, err error) {
	m.Format, m.At, m.Program, m.Previous = format, by.at, by.program, t.current.Export
	if before := t.current.At; !m.At.After(before) { // of another machine's clock: manifests are ordered by their times
		m.At = before.Add(time.Millisecond)
	}
	m.Export = m.At.Format(exportStamp) + "-" + strings.ToLower(rand.Text()[:4])
	b, err := m.encoded()
	if err != nil {
		return "", err
	}
	if err := s.Put(ctx, manifestsKey+m.Export+".json", store.Source{File: bytes.NewReader(b), Bytes: int64(len(b)), SHA256: sum(b)}); err != nil {
		return "", err
	}
	if err := documents(ctx, s); err != nil {
		return "", err
	}
	if err := s.Replace(ctx, currentKey, b, t.version); err != nil {
		return "", err
	}
	return m.Export, nil
}

// publishNext makes a manifest visible that needs no further files, with the documents that describe it.
func publishNext(ctx context.Context, s store.Store, next Manifest, t *target, by stamp) (id string, notices []string, err error) {
	p := &plan{next: next}
	if notices, err = p.planDocuments(ctx, s, t); err != nil {
		return "", nil, err
	}
	id, err = replaceCurrent(ctx, s, p.next, t, by, p.writeDocuments)
	return id, notices, err
}

// equal reports whether two manifests list the same.
func equal(a, b Manifest) (bool, error) {
	for _, m := range []*Manifest{&a, &b} {
		m.Export, m.Previous, m.Program, m.At, m.Expiring, m.Format = "", "", "", time.Time{}, nil, 0
		if m.Source != nil { // the place alone makes no new manifest: the machine may be another one each night
			m.Source = &Identity{ID: m.Source.ID}
		}
	}
	first, err := a.encoded()
	if err != nil {
		return false, err
	}
	second, err := b.encoded()
	return err == nil && bytes.Equal(first, second), err
}

// plan is the next manifest, and what is to be uploaded for it.
type plan struct {
	next      Manifest
	uploads   []upload
	documents []document
}

// plan decides what the export lists and uploads.
func (e *exporter) plan(ctx context.Context, src *source, t *target) (*plan, error) {
	tables, err := src.tables(ctx)
	if err != nil {
		return nil, err
	}
	selected, err := newSelection(e.o.Since, e.o.Tables, tables)
	if err != nil {
		return nil, err
	}
	p := &plan{next: t.current.of(e.o.Source.known())}
	p.next.Tables = tables
	latest := src.latest()
	p.next.Run, p.next.SnapshotDate = latest.ID, latest.Date
	if e.o.Since != "" && e.o.Since < p.next.FactsSince {
		p.next.FactsSince = e.o.Since
	}
	lake, local := src.lakeFiles(t.current.Files)
	facts := factsPlan{lake: lake, published: src.published, present: t.present, selected: selected, keepSince: p.next.FactsSince}
	p.next.Files = facts.files(t.current.Files)
	p.next.Runs = src.runsOf(p.next.Files)
	if err := e.planHistory(ctx, src, t, p, selected, local); err != nil {
		return nil, err
	}
	if err := e.planWarehouse(src, p, local); err != nil {
		return nil, err
	}
	sortFiles(p.next.Files)
	p.next.Expiring = slices.DeleteFunc(slices.Clone(t.current.Expiring), func(path string) bool { _, ok := t.present[path]; return !ok })
	if err := p.uploadsFor(t, local); err != nil {
		return nil, err
	}
	notices, err := p.planDocuments(ctx, e.store, t)
	if err != nil {
		return nil, err
	}
	e.count(p, t, notices)
	return p, nil
}

// count reports the plan. What an earlier try uploaded counts as uploaded.
func (e *exporter) count(p *plan, t *target, notices []string) {
	r := Report{DryRun: e.o.DryRun, Runs: len(p.next.Runs), Listed: len(p.next.paths()), Files: e.report.Files, Bytes: e.report.Bytes, Notices: append(t.strangers(), notices...)}
	missing := map[string]bool{}
	for _, u := range p.uploads {
		missing[u.key] = true
		if e.o.DryRun {
			r.Uploads = append(r.Uploads, Upload{u.key, u.bytes})
			r.Files++
			r.Bytes += u.bytes
		}
	}
	for path, bytes := range p.next.paths() {
		if !missing[path] && !e.stored[path] {
			r.Skipped++
			r.SkippedBytes += bytes
		}
	}
	e.report = r
}
